import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { histories, play } from '../../support/ledger/random-histories';
import { testLedger } from '../../support/ledger/test-ledger';
import { eft } from '../../support/requests';
import { testSeed } from '../../support/seed';
import { parseCsv } from '../../support/cli/parse-csv';
import { paysession } from '../../support/cli/run-paysession';

/** A line of the JSON Lines output: one payment. */
type Line = Readonly<Record<string, string | number | boolean>>;

const march = ['ledger', 'export', '--from', '2026-03-01', '--to', '2026-04-01'];

test('the command ledger export writes the sessions from the day --from until before the day --to, oldest first', async () => {
  const { url, ledger } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  const times = {
    before: '2026-02-28T23:59:59.999Z',
    first: '2026-03-01T00:00:00.000Z',
    last: '2026-03-31T23:59:59.999Z',
    after: '2026-04-01T00:00:00.000Z',
  };
  for (const [key, at] of Object.entries(times).reverse()) {
    const request = { ...eft(), amount: 1_250.1 };
    await ledger.claim({ key, fingerprint: 'f', firstRunId: key, account: '=west', request, at });
  }
  const csv = await paysession(march, { env });
  expect(csv).toMatchObject({ code: 0, stderr: '' });
  expect(csv.stdout.startsWith('key,kind,account,outcome,status,code,failure,paid,amount,')).toBe(true);
  expect(parseCsv(csv.stdout).map(([key, kind, account]) => [key, kind, account])).toEqual([
    ['key', 'kind', 'account'],
    ['first', 'EFT', "'=west"],
    ['last', 'EFT', "'=west"],
  ]);
  const jsonl = await paysession([...march, '--format', 'jsonl'], { env });
  const lines = jsonl.stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ key: 'first', account: '=west', amount: '1250.10', claimedAt: times.first }),
    expect.objectContaining({ key: 'last', amount: '1250.10', paid: false, outcome: 'open' }),
  ]);
  for (const { stdout } of [csv, jsonl]) expect(stdout).not.toContain(eft().payor.email);
});

test('after random histories, the ledger’s list, export and totals contain the same payments', async () => {
  const { url, ledger } = await testLedger();
  const seed = testSeed();
  for (const steps of fc.sample(histories, { seed, numRuns: 10 }))
    await play(ledger, steps, { id: randomUUID() });
  const env = { PAYSESSION_LEDGER_URL: url, PAYSESSION_LEDGER_ENVIRONMENT: ledger.environment };
  const days = ['--from', '2026-02-01', '--to', '2026-05-01'];
  const linesOf = async (...args: readonly string[]) => {
    const { stdout } = await paysession(['ledger', ...args], { env });
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  };
  const exported = await linesOf('export', ...days, '--format', 'jsonl');
  const listed = await linesOf('list', '--jsonl', '--limit', '1000');
  const withDecimal = ({ amount, ...one }: Line) => ({
    ...one,
    ...(amount !== undefined && { amount: Number(amount) }),
  });
  expect(listed.toReversed().map(withDecimal)).toEqual(exported.map(withDecimal));
  const [head = [], ...rows] = parseCsv((await paysession(['ledger', 'export', ...days], { env })).stdout);
  for (const name of ['key', 'claim', 'direction', 'amount', 'money'])
    expect(rows.map((row) => row[head.indexOf(name)])).toEqual(exported.map((one) => `${one[name] ?? ''}`));
  for (const direction of ['DEBIT', 'CREDIT'] as const) {
    const { count } = await ledger.payments.totals({ direction });
    expect(exported.filter((one) => one['direction'] === direction)).toHaveLength(count);
  }
});

test('the command ledger export writes no sessions for an empty ledger, and refuses a --to that is not after --from', async () => {
  const { url } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  const empty = await paysession(march, { env });
  expect(parseCsv(empty.stdout)).toHaveLength(1);
  expect(await paysession([...march, '--format', 'jsonl'], { env })).toMatchObject({ code: 0, stdout: '' });
  const reversed = await paysession([...march, '--to', '2026-03-01'], { env });
  expect(reversed).toMatchObject({ code: 2, stderr: expect.stringContaining('--to must be after --from') });
});
