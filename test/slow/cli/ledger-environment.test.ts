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

// A ledger has environments, such as `live` and `staging`. Each worker records in one of them. These tests use commands on a machine
// whose settings name another environment than the workers’.

/** Returns a ledger whose environment `live` has workers. `env` returns a machine’s settings for an environment of this ledger. */
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

test('a worker registers its Temporal namespace in the ledger', async () => {
  const { ledger, client } = await ledgerWorld();
  const namespace = await readNamespace(client.connection, 'default');
  expect(namespace.id).not.toBe('default');
  expect(await ledger.namespaces.all()).toEqual([
    { environment: ledger.environment, namespace, isRecent: true },
  ]);
});

test('if a machine’s ledger environment differs from the workers’, doctor reports it, and commands record nothing there', async () => {
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

test('a command without results in a ledger environment without workers names the environments with workers', async () => {
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

test('a sweep of a ledger environment without workers fails and records nothing there', async () => {
  const { url, client } = await usedLedger();
  const sweep = sweepLedger({ client, ledger: openLedger(url, { environment: 'staging' }) });
  await expect(sweep.next()).rejects.toMatchObject({ code: 'INVALID_SETTINGS' });
});

// In a shared environment, a key of one namespace is a conflict in the other namespace.
test('doctor reports two namespaces that share a ledger environment', async () => {
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

// In two environments, the same key could be claimed twice, and so paid twice.
test('doctor reports a namespace whose workers record in two ledger environments', async () => {
  const { url, client, env } = await usedLedger();
  await openLedger(url, { environment: 'typo' }).namespaces.register(
    await readNamespace(client.connection, 'default'),
  );
  const { stdout } = await paysession(['doctor'], { env: env('live') });
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /✘ Ledger environment: workers of the namespace default record in live and .*typo/,
  );
});
