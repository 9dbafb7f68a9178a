import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { generateSessions } from '../../support/ledger/generated';
import { testLedger } from '../../support/ledger/test-ledger';
import { paysession, spawnPaysession, startPaysession } from '../../support/cli/run-paysession';

test('the command ledger export writes only as fast as its reader reads, and exits 141 if the reader closes the pipe early', async () => {
  const { url, database } = await testLedger();
  await generateSessions(database, 20_000);
  const env = { PAYSESSION_LEDGER_URL: url };
  const all = ['ledger', 'export', '--from', '2026-01-01', '--to', '2027-01-01', '--format', 'jsonl'];
  const whole = await paysession(all, { env });
  const lines = whole.stdout.trimEnd().split('\n');
  expect(new Set(lines.map((line) => (JSON.parse(line) as { readonly key: string }).key)).size).toBe(20_000);
  expect(lines).toHaveLength(20_000);
  const early = startPaysession(all, env);
  await early.line(/order-1"/);
  early.child.stdout?.destroy();
  expect(await once(early.child, 'exit')).toEqual([141, null]);
  expect(early.errors()).toBe('');
});

test('a command writes its whole answer to a pipe before it exits', async () => {
  const { url, database } = await testLedger();
  await generateSessions(database, 5_000);
  const list = ['ledger', 'list', '--json', '--limit', '5000'];
  const { code, stdout } = await spawnPaysession(list, { env: { PAYSESSION_LEDGER_URL: url } });
  expect([code, (JSON.parse(stdout) as readonly unknown[]).length]).toEqual([0, 5_000]);
});
