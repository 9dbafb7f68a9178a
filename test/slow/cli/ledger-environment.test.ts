import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sweepLedger } from '../../../ledger';
import { readNamespace } from '../../../src/sessions';
import { CLAIM } from '../../support/ledger/claim';
import { ledgerWorld } from '../../support/ledger/ledger-world';
import { closesLater, openLedger, testLedger } from '../../support/ledger/test-ledger';
import { createWorld } from '../../support/worlds/world';
import { paysession, startPaysession } from '../../support/cli/run-paysession';
import { until } from '../../support/wait';
import { newSecret } from '../../../cli/commands/webhooks/new-secret';

/** Returns a ledger in whose environment `live` workers record, and settings of a machine for any environment. */
async function usedLedger() {
  const { url } = await testLedger();
  const world = await createWorld();
  closesLater(() => world.close());
  const { client } = world;
  const live = openLedger(url, { environment: 'live' });
  await live.namespaces.register(await readNamespace(client.connection, 'default'));
  const env = (environment: string) => ({
    TEMPORAL_ADDRESS: process.env['PAYSESSION_TEST_TEMPORAL'],
    PAYSESSION_TASK_QUEUE: `cli-${randomUUID()}`,
    PAYSESSION_LEDGER_URL: url,
    PAYSESSION_LEDGER_ENVIRONMENT: environment,
  });
  return { url, client, live, env };
}

test('a worker registers in the ledger the namespace whose sessions it records', async () => {
  const { ledger, client } = await ledgerWorld();
  const namespace = await readNamespace(client.connection, 'default');
  expect(namespace.id).not.toBe('default');
  expect(await ledger.namespaces.all()).toEqual([
    { environment: ledger.environment, namespace, isRecent: true },
  ]);
});

test('doctor reports if this machine has another ledger environment than the workers, and commands record nothing there', async () => {
  const { live, env, url } = await usedLedger();
  await live.claim(CLAIM);
  const doctor = await paysession(['doctor'], { env: env('staging') });
  expect(doctor.stdout).toMatch(
    /✘ Ledger environment: this machine reads staging, and workers\s+of the namespace default record in .*live/,
  );
  const swept = await paysession(['ledger', 'sweep', '--ended-after', '1m'], { env: env('staging') });
  expect(swept).toMatchObject({ code: 2, stderr: expect.stringContaining('PAYSESSION_LEDGER_ENVIRONMENT') });
  expect(await openLedger(url, { environment: 'staging' }).payments.totals({})).toMatchObject({ count: 0 });

  const listed = await paysession(['ledger', 'list', '--jsonl'], { env: env('staging') });
  expect(listed).toMatchObject({ code: 0, stdout: '' });
  expect(listed.stderr).toMatch(/no worker records in the environment staging; workers record in .*live/);
  const file = `session,amount,date,kind\n${randomUUID()},25.00,2026-05-07,settled\n`;
  const reconciled = await paysession(['reconcile', '-'], { env: env('staging'), stdin: file });
  expect(reconciled).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('in which no worker records'),
  });
  expect((await openLedger(url, { environment: 'staging' }).unmatched.totals()).count).toBe(0);
  const dry = await paysession(['reconcile', '-', '--dry-run'], { env: env('staging'), stdin: file });
  expect(dry.stderr).toMatch(/no worker records in the environment staging/);
  const there = await paysession(['ledger', 'list', '--jsonl'], { env: env('live') });
  expect(there).toMatchObject({ stdout: expect.stringContaining(CLAIM.key), stderr: '' });
  const endpoint = {
    PAYSESSION_WEBHOOK_URL: 'https://shop.example/webhooks',
    PAYSESSION_WEBHOOK_SECRET: newSecret(),
  };
  const sending = startPaysession(['webhooks', 'send'], { ...env('staging'), ...endpoint });
  await until(
    () => Promise.resolve(sending.errors()),
    (text) => /no worker records in the environment staging/.test(text),
  );
  expect(await sending.interrupt()).toBe(0);
  const fits = await paysession(['doctor'], { env: env('live') });
  expect(fits.stdout).toMatch(/✔ Ledger environment: live has no workers of other namespaces/);
});

test('commands that find nothing in an environment of the ledger without workers report the environments with workers', async () => {
  const { live, env } = await usedLedger();
  await live.claim(CLAIM);
  for (const args of [
    ['ledger', 'unmatched'],
    ['ledger', 'unmatched', '--jsonl'],
    ['ledger', 'arrivals'],
    ['ledger', 'restored'],
    ['webhooks', 'list'],
  ]) {
    const inStaging = await paysession(args, { env: env('staging') });
    expect({ args, ...inStaging }).toMatchObject({
      args,
      code: 0,
      stderr: expect.stringMatching(/no worker records in the environment staging; workers record in .*live/),
    });
    const inLive = await paysession(args, { env: env('live') });
    expect({ args, ...inLive }).toMatchObject({
      args,
      code: 0,
      stderr: expect.not.stringContaining('no worker records'),
    });
  }
  const { stderr } = await paysession(['ledger', 'restored'], { env: env('staging') });
  expect(stderr).toMatch(/has no entries in this environment, staging/);
});

test('each sweep checks the ledger’s environment, so that a keeper records nothing in an environment without workers', async () => {
  const { url, client } = await usedLedger();
  const sweep = sweepLedger({ client, ledger: openLedger(url, { environment: 'staging' }) });
  await expect(sweep.next()).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
});

test('doctor reports two namespaces that share a ledger environment: a key of one is refused to the other', async () => {
  const { live, env } = await usedLedger();
  await live.namespaces.register({ name: 'default', id: 'of-another-server' });
  await live.claim(CLAIM);
  const other = { ...CLAIM, firstRunId: 'of-another-server', fingerprint: 'another' };
  expect(await live.claim(other)).toEqual({ outcome: 'conflict' });
  const { stdout } = await paysession(['doctor'], { env: env('live') });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    '✘ Ledger environment: live is also used by the namespace default of another Temporal server (of-another-server)',
  );
});

test('doctor reports workers of one namespace in two ledger environments: a key of one is free in the other', async () => {
  const { url, client, env } = await usedLedger();
  await openLedger(url, { environment: 'typo' }).namespaces.register(
    await readNamespace(client.connection, 'default'),
  );
  const { stdout } = await paysession(['doctor'], { env: env('live') });
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /✘ Ledger environment: workers of the namespace default record in live and .*typo/,
  );
});
