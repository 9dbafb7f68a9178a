import { expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { testLedger } from '../../support/ledger/test-ledger';
import { eft } from '../../support/requests';
import { paysession } from '../../support/cli/run-paysession';

const claim = {
  key: 'order-1',
  fingerprint: 'same',
  firstRunId: 'run-1',
  account: 'default',
  request: eft(),
  at: '2026-03-01T12:00:00.000Z',
} as const;

const by = ['--by', 'bea', '--reason', 'request 77'];

test('the command ledger erase erases personal data, and ledger show says who erased it and why', async () => {
  const { url, ledger } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  await ledger.claim(claim);
  const first = await paysession(['ledger', 'erase', 'order-1', ...by], { env });
  expect(first).toMatchObject({ code: 0, stdout: 'order-1: personal data erased from the ledger\n' });
  const again = await paysession(['ledger', 'erase', 'order-1', ...by, '--json'], { env });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toEqual({ key: 'order-1', outcome: 'alreadyErased' });
  const shown = await paysession(['ledger', 'show', 'order-1'], { env });
  expect(shown.stdout).toMatch(/personal data erased +by bea, request 77/);
  const json = await paysession(['ledger', 'show', 'order-1', '--json'], { env });
  expect(json.stdout).not.toContain(eft().payor.email);
});

test('the command ledger erase changes nothing if the name or the reason is missing, or if the key is unknown', async () => {
  const { url, ledger } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  await ledger.claim(claim);
  const erase = (...args: readonly string[]) => paysession(['ledger', 'erase', ...args], { env });
  const unnamed = await erase('order-1', '--reason', 'request 77');
  expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('--by <name>') });
  const unexplained = await erase('order-1', '--by', 'bea', '--reason', '');
  expect(unexplained).toMatchObject({ code: 2, stderr: expect.stringContaining('text of 1 to 500') });
  const unknown = await erase('order-2', ...by);
  expect(unknown).toMatchObject({ code: 3, stderr: expect.stringContaining('SESSION_NOT_FOUND') });
  expect(await ledger.entriesOf('order-1')).toHaveLength(1);
});

test('the command ledger rewrap prints the number of session keys that it has wrapped again', async () => {
  const keyOf = (id: string) => ({ id, secret: createHash('sha256').update(id).digest() });
  const lineOf = (id: string) => `${id}:${keyOf(id).secret.toString('base64')}`;
  const { url, ledger } = await testLedger({ encryption: { current: keyOf('2026-01') } });
  await ledger.claim(claim);
  const withKeys = (keys: string) => ({
    env: { PAYSESSION_LEDGER_URL: url, PAYSESSION_ENCRYPTION_KEYS: keys },
  });
  const both = withKeys(`${lineOf('2026-02')},${lineOf('2026-01')}`);
  const missing = await paysession(['ledger', 'rewrap'], withKeys(lineOf('2026-02')));
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('ENCRYPTION_KEY_MISSING') });
  expect(missing.stdout).toBe('sessions checked: 1; keys rewrapped: 0; environment: default\n');
  expect(await paysession(['ledger', 'rewrap'], both)).toMatchObject({
    code: 0,
    stdout: 'sessions checked: 1; keys rewrapped: 1; environment: default\n',
  });
  const again = await paysession(['ledger', 'rewrap', '--json'], both);
  expect(JSON.parse(again.stdout)).toEqual({ environment: 'default', looked: 1, rewrapped: 0 });
  const shown = await paysession(['ledger', 'show', 'order-1', '--json'], withKeys(lineOf('2026-02')));
  expect(shown.stdout).toContain(eft().payor.email);
  const without = await paysession(['ledger', 'rewrap'], { env: { PAYSESSION_LEDGER_URL: url } });
  expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('PAYSESSION_ENCRYPTION_KEYS') });
});
