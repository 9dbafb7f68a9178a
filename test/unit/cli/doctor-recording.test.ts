import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import { examineEncryption, examineRecording } from '../../../cli/commands/doctor/workers';
import { readTemporalSettings } from '../../../src/settings';

/** Returns a client of a Temporal server that lists workers with these identities. The first worker has polled last. */
function clientOf(...identities: readonly string[]): Client {
  const pollers = identities.map((identity, index) => ({
    identity,
    lastAccessTime: { seconds: { toNumber: () => Math.floor(Date.now() / 1_000) - index } },
  }));
  return {
    options: { namespace: 'default' },
    workflowService: { describeTaskQueue: () => Promise.resolve({ pollers }) },
  } as unknown as Client;
}

const LEDGER = { url: 'postgres://ledger', environment: 'production', lateAfterDays: 5, timeZone: 'UTC' };
const examined = (client: Client, ledger?: typeof LEDGER) =>
  examineRecording(client, { ...(ledger && { ledger }), taskQueue: 'payment-sessions' });

test('doctor reports a worker without a ledger if other workers have one', async () => {
  expect(await examined(clientOf('1@a with a ledger', '2@b', '3@c with a ledger encrypting'))).toMatchObject([
    { ok: false, found: expect.stringMatching(/^1 of 3 have none: 2@b \(last polled/) },
  ]);
});

test('doctor counts a worker that was restarted with a ledger once, as a worker with a ledger', async () => {
  expect(await examined(clientOf('1@a with a ledger', '1@a'))).toMatchObject([
    { ok: true, found: '1 of 1 have one' },
  ]);
});

test('doctor reports workers without a ledger if this machine has one', async () => {
  expect(await examined(clientOf('1@a', '2@b encrypting always'), LEDGER)).toMatchObject([{ ok: false }]);
});

test('doctor reports nothing about ledgers if no ledger is set, or if no worker is running', async () => {
  expect(await examined(clientOf('1@a', '2@b encrypting'))).toEqual([]);
  expect(await examined(clientOf(), LEDGER)).toEqual([]);
});

test('doctor counts a worker that was restarted with keys once, as a worker with the keys', async () => {
  const keys = `2031:${randomBytes(32).toString('base64')}`;
  const settings = readTemporalSettings({ HOME: '/nonexistent', PAYSESSION_ENCRYPTION_KEYS: keys });
  expect(await examineEncryption(clientOf('1@a encrypting with 2031', '1@a'), settings)).toMatchObject({
    ok: true,
    found: expect.stringContaining('the worker agrees'),
  });
});

test('doctor does not report a worker that announces eight keys, because it may have more keys', async () => {
  const keys = `2031:${randomBytes(32).toString('base64')}`;
  const settings = readTemporalSettings({ HOME: '/nonexistent', PAYSESSION_ENCRYPTION_KEYS: keys });
  const announcing = (ids: string) => examineEncryption(clientOf(`1@a encrypting with ${ids}`), settings);
  expect(await announcing('1,2,3,4,5,6,7')).toMatchObject({ ok: false });
  expect(await announcing('1,2,3,4,5,6,7,8')).toMatchObject({ ok: true });
});
