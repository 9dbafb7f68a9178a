import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { WebhookDeliveriesOf } from '../../../ledger/webhooks/deliveries';
import { WEBHOOK_METRICS } from '../../../src/protocol/webhook-metrics';
import { SECRET, startReceiver } from '../../support/ledger/webhooks/receiver';
import { recordOpened } from '../../support/ledger/webhooks/recorded';
import { connectTo, openLedger, testLedger } from '../../support/ledger/test-ledger';
import { samplesOf, sumOf } from '../../support/ops/prometheus-text';
import { eft } from '../../support/requests';
import { until } from '../../support/wait';
import { paysession, startPaysession } from '../../support/cli/run-paysession';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';

const { env } = useSandbox();
const folder = mkdtempSync(join(tmpdir(), 'paysession-webhooks-'));

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const METRICS_PORT = '19466';
const METRICS = `http://127.0.0.1:${METRICS_PORT}`;
const scrape = async () => samplesOf(await (await fetch(`${METRICS}/metrics`)).text());

/** Returns the settings of a ledger and of endpoints on this machine. */
async function withWebhooks(endpoints: object) {
  const { url } = await testLedger();
  const file = join(folder, 'endpoints.json');
  writeFileSync(file, JSON.stringify({ endpoints }));
  return {
    ...env,
    PAYSESSION_LEDGER_URL: url,
    PAYSESSION_WEBHOOK_FILE: file,
    PAYSESSION_WEBHOOK_LOOPBACK: 'true',
  };
}

const start = (settings: NodeJS.ProcessEnv, key: string) =>
  paysession(['start', '--key', key, '--request', '-', '--wait'], {
    env: settings,
    stdin: JSON.stringify(eft('sandbox-completes')),
  });

/** The type of a test webhook, which `paysession webhooks test` sends. */
const PING: string = 'test.ping';

/** The kinds of all webhooks of a session that completes, in order. */
const WHOLE = ['session.opened', 'session.state_changed', 'session.paid', 'session.ended'];

test('a worker sends a session’s webhooks to an endpoint, and webhooks list prints that the endpoint receives webhooks', async () => {
  const receiver = await startReceiver();
  const { name, ...endpoint } = receiver.endpoint;
  const settings = await withWebhooks({ [name]: endpoint });
  const worker = startPaysession(['worker'], settings);
  await worker.line(/^working for default/);
  const listening = startPaysession(['listen', '--kind', 'session.paid'], settings);
  await until(
    () => paysession(['webhooks', 'list', '--json'], { env: settings }),
    ({ stdout }) => (JSON.parse(stdout) as unknown[]).length === 2,
  );
  const key = newKey();
  await start(settings, key);
  await until(
    () => Promise.resolve(receiver.of(key)),
    (kinds) => kinds.length >= WHOLE.length,
  );
  expect(receiver.of(key)).toEqual(WHOLE);
  expect(await listening.line(new RegExp(key))).toMatch(/Z {2}session\.paid +\S+ {2}Completed EFT0301$/);
  expect(await listening.interrupt()).toBe(0);
  // The worker records the receiver’s answer a little later than the receiver sends it.
  const listed = await until(
    () => paysession(['webhooks', 'list'], { env: settings }),
    ({ stdout }) => /\nshop +receives webhooks +0 /.test(stdout),
  );
  expect(listed.stdout).toMatch(/^ENDPOINT +STATE +WAITING/);
  expect(listed.stdout).not.toContain('listen-');
  expect(await worker.interrupt()).toBe(0);
});

test('if an entry of a session was tampered with, a worker withholds the session’s webhooks and logs the session’s key', async () => {
  const receiver = await startReceiver();
  const { name, ...endpoint } = receiver.endpoint;
  const settings = await withWebhooks({ [name]: endpoint });
  const ledger = openLedger(settings.PAYSESSION_LEDGER_URL);
  await ledger.webhookEndpoints.register([receiver.endpoint]);
  await recordOpened(ledger, 'order-1');
  await connectTo(settings.PAYSESSION_LEDGER_URL).transaction(async (statements) => {
    // Triggers refuse changes of entries. The owner of the tables can switch triggers off.
    await statements.query('set local session_replication_role = replica');
    await statements.query("update paysession_ledger.entries set body = '{}' where kind = 'opened'");
  });
  const worker = startPaysession(['worker'], settings);
  const errors = await until(
    () => Promise.resolve(worker.errors()),
    (text) => text.includes('webhooks of a session are not sent'),
  );
  expect(errors).toMatch(/ERROR webhooks of a session are not sent: .* sessionKey=order-1 /);
  expect(await worker.interrupt()).toBe(0);
});

test('the command listen forwards webhooks only to a URL of this machine, and sends a refused webhook again only with --retry', async () => {
  const { url, ledger } = await testLedger();
  const settings = { ...env, PAYSESSION_LEDGER_URL: url };
  const refused = await paysession(['listen', '--forward', 'https://shop.example/webhooks'], {
    env: settings,
  });
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/--forward must be a URL of this machine/),
  ]);

  const receiver = await startReceiver();
  const statuses = [500];
  receiver.answer = () => statuses.pop() ?? 204;
  const forward = ['--forward', receiver.endpoint.url, '--secret', SECRET];
  const listening = startPaysession(['listen', '--jsonl', '--retry', ...forward], settings);
  const refusing = await startReceiver();
  refusing.answer = () => 500;
  const once = startPaysession(['listen', '--forward', refusing.endpoint.url, '--secret', SECRET], settings);
  await until(
    () => ledger.webhookEndpoints.all(),
    (all) => all.length > 1,
  );
  await ledger.claim({
    key: 'order-1',
    fingerprint: 'same',
    firstRunId: 'run-1',
    account: 'default',
    request: eft(),
    at: '2026-03-01T12:00:00.000Z',
  });
  await ledger.record({ key: 'order-1', firstRunId: 'run-1' }, [
    { kind: 'opened', at: '2026-03-01T12:00:01.000Z', sessionId: 'id-1', how: 'create' },
  ]);
  const line = JSON.parse(await listening.line(/order-1/)) as object;
  expect(line).toMatchObject({
    id: expect.stringMatching(/^msg_/),
    type: 'session.opened',
    data: { key: 'order-1' },
  });
  const errors = await until(
    () => Promise.resolve(listening.errors()),
    (text) => text.includes('refused'),
  );
  expect(errors).toMatch(
    /webhooks refused msg_\S+ \(session\.opened of order-1\): HTTP 500; it is tried again/,
  );
  await until(
    () => Promise.resolve(receiver.of('order-1')),
    (kinds) => kinds.length > 0,
  );
  // Without --retry, the command gives up a refused webhook.
  const { deliveries } = await until(
    () => ledger.webhookDeliveries.of('order-1'),
    (read) => read.waiting.length === 0 && read.deliveries.length === 2,
  );
  expect(deliveries.map(({ state }) => state).toSorted()).toEqual(['delivered', 'givenUp']);
  expect(await once.interrupt()).toBe(0);
  expect(once.errors()).toMatch(/session\.opened of order-1\): HTTP 500; it is not tried again/);
  const triggered = await paysession(['trigger', 'payment.returned', '--json', ...forward], {
    env: settings,
  });
  expect([triggered.code, JSON.parse(triggered.stdout)]).toMatchObject([
    0,
    { type: 'payment.returned', delivered: true, outcome: 'HTTP 204' },
  ]);
  expect(receiver.received.at(-1)?.event).toMatchObject({
    type: 'payment.returned',
    data: { environment: 'example' },
  });
  expect(await listening.interrupt()).toBe(0);
});

describe('the command webhooks', () => {
  test('sends the webhooks in place of the worker, serves metrics, and sends webhooks again on request', async () => {
    const receiver = await startReceiver();
    const { name, ...endpoint } = receiver.endpoint;
    const settings = await withWebhooks({ [name]: endpoint });
    const sending = startPaysession(['webhooks', 'send', '--metrics-port', METRICS_PORT], settings);
    await until(
      () => paysession(['webhooks', 'list', '--json'], { env: settings }),
      ({ stdout }) => (JSON.parse(stdout) as unknown[]).length === 1,
    );
    const nothing = await paysession(['webhooks', 'replay', '--endpoint', name], { env: settings });
    expect([nothing.code, nothing.stderr]).toEqual([
      2,
      expect.stringMatching(/--since is needed: no webhooks/),
    ]);
    const worker = startPaysession(['worker'], { ...settings, PAYSESSION_WEBHOOK_FILE: '' });
    await worker.line(/^working for default/);
    const key = newKey();
    await start(settings, key);
    await sending.line(new RegExp(`shop {2}session.ended {2}${key}$`));
    const ids = receiver.received.map(({ id }) => id);
    const samples = await until(scrape, (all) =>
      all.some(({ name }) => name === WEBHOOK_METRICS.waiting.name),
    );
    expect(new Set(samples.map(({ name: metric }) => metric))).toEqual(
      new Set(Object.values(WEBHOOK_METRICS).map(({ name: metric }) => metric)),
    );
    const delivered = { endpoint: name, outcome: 'delivered' };
    expect(sumOf(samples, WEBHOOK_METRICS.deliveries.name, delivered)).toBe(WHOLE.length);
    expect(sumOf(samples, WEBHOOK_METRICS.deliveries.name)).toBe(WHOLE.length);
    expect(samples).toContainEqual({
      name: WEBHOOK_METRICS.failing.name,
      labels: { endpoint: name },
      value: 0,
    });
    expect((await fetch(`${METRICS}/livez`)).status).toBe(200);

    const again = await paysession(['webhooks', 'replay', '--endpoint', name, '--since', '1h'], {
      env: settings,
    });
    expect(again.stdout).toBe('Webhooks of 1 session are sent to shop again.\n');
    await until(
      () => Promise.resolve(receiver.received.length),
      (count) => count === 2 * WHOLE.length,
    );
    expect(receiver.received.slice(WHOLE.length).map(({ id }) => id)).toEqual(ids);
    const of = async (what: string) => {
      const answer = await paysession(['webhooks', 'deliveries', what, '--json'], { env: settings });
      return (JSON.parse(answer.stdout) as WebhookDeliveriesOf).deliveries;
    };
    const deliveries = await until(
      () => of(key),
      (all) => all.every(({ attempts }) => attempts >= 2),
    );
    expect(deliveries.map(({ id, state, attempts }) => [id, state, attempts])).toEqual(
      ids.map((id) => [id, 'delivered', 2]),
    );
    const resent = await paysession(['webhooks', 'resend', ids.at(-1) ?? ''], { env: settings });
    expect(resent.stdout).toMatch(
      new RegExp(`^The messages of ${key} will be sent again to shop, starting with entry \\d+\\.`),
    );
    await until(
      () => of(ids.at(-1) ?? ''),
      ([one]) => one?.attempts === 3,
    );
    const shown = await paysession(['webhooks', 'deliveries', ids.at(-1) ?? ''], { env: settings });
    expect(shown.stdout).toMatch(
      /^MESSAGE +TYPE +ENDPOINT +STATE +ATTEMPTS .*\nmsg_\S+ +session\.ended +shop +delivered +3 /,
    );
    const strange = await paysession(['webhooks', 'deliveries', 'no-such-key'], { env: settings });
    expect([strange.code, strange.stderr]).toEqual([3, expect.stringMatching(/no message of this id/)]);

    // The receiver refuses a message whose type it does not know.
    receiver.answer = ({ event }) => (event.type === PING ? 418 : 204);
    const ping = await paysession(['webhooks', 'test', name], { env: settings });
    expect([ping.code, ping.stdout]).toEqual([
      5,
      expect.stringMatching(/^shop refused test\.ping \(msg_\S+\): HTTP 418/),
    ]);
    expect(await sending.interrupt()).toBe(0);
    expect(await worker.interrupt()).toBe(0);

    const forgotten = await paysession(['webhooks', 'forget', name, '--json'], { env: settings });
    expect(JSON.parse(forgotten.stdout)).toEqual({ endpoint: 'shop', outcome: 'forgotten' });
    const unknown = await paysession(['webhooks', 'forget', name], { env: settings });
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringMatching(/WEBHOOK_ENDPOINT_UNKNOWN/)]);
  });

  test('exits 2 without a webhook URL, and names the missing setting', async () => {
    const { url } = await testLedger();
    const answer = await paysession(['webhooks', 'send'], { env: { ...env, PAYSESSION_LEDGER_URL: url } });
    expect([answer.code, answer.stderr]).toEqual([
      2,
      expect.stringMatching(/PAYSESSION_WEBHOOK_URL is missing/),
    ]);
  });
});
