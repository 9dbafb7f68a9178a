import { expect, test } from '@jest/globals';
import {
  ReconciliationTally,
  type PaymentLedger,
  type ReconciledLine,
  type ReconcileOptions,
} from '../../../../ledger';
import { testSeed, seededRandom } from '../../../support/seed';
import { CLAIM } from '../../../support/ledger/claim';
import { deliveredFiles, generatePaid, moneyIn } from '../../../support/ledger/reconciliation-files';
import { recordPaid } from '../../../support/ledger/recorded';
import { openLedger, testLedger } from '../../../support/ledger/test-ledger';

const HEAD = 'reference,session,amount,date,kind,code\n';

async function reconciled(ledger: PaymentLedger, text: string, options: ReconcileOptions = {}) {
  const lines: ReconciledLine[] = [];
  for await (const line of ledger.reconcile(text, options)) lines.push(line);
  return lines;
}

const outcomes = (lines: readonly ReconciledLine[]) => lines.map(({ outcome, reason }) => reason ?? outcome);

test('a file is recorded once, by session id and by reference, long after the end, and what is not matched is told', async () => {
  const { ledger } = await testLedger();
  const { sessionId } = await recordPaid(ledger, 'order-1');
  await ledger.claim({ ...CLAIM, key: 'order-2', referenceId: 'ref-2' });
  for (const key of ['order-3', 'order-4']) await ledger.claim({ ...CLAIM, key, referenceId: 'ref-3' });
  const text = `${HEAD}${[
    `,${sessionId},25.00,2026-09-01,settled,`,
    `,${sessionId},25.00,2026-09-30,returned,NSF`,
    'ref-2,,25.00,2026-09-01,settled,',
    'ref-2,,25.00,2026-09-01,settled,',
    'ref-2,,25.00,2026-09-02,settled,',
    'ref-2,,26.00,2026-09-03,returned,',
    'ref-3,,25.00,2026-09-01,settled,',
    'ref-4,,25.00,2026-09-01,settled,',
  ].join('\n')}\n`;
  const unmatched = ['twice', 'twice', 'anotherAmount', 'ambiguous', 'unknown'];
  const dry = await reconciled(ledger, text, { dryRun: true });
  expect(outcomes(dry)).toEqual(['recorded', 'recorded', 'recorded', ...unmatched]);
  expect((await ledger.entriesOf('order-1')).at(-1)?.fact.kind).toBe('ended');
  expect(await reconciled(ledger, text)).toEqual(dry);
  const before = await ledger.entriesOf('order-1');
  expect(before.slice(-2).map(({ fact }) => fact)).toEqual(
    expect.arrayContaining([
      { kind: 'settled', at: '2026-09-01T00:00:00.000Z', amount: 25 },
      { kind: 'returned', at: '2026-09-30T00:00:00.000Z', amount: 25, code: 'NSF' },
    ]),
  );
  const again = await reconciled(ledger, text);
  expect(outcomes(again)).toEqual(['known', 'known', 'known', ...unmatched]);
  expect(await ledger.entriesOf('order-1')).toEqual(before);
  const totals = new ReconciliationTally();
  for (const line of again) totals.add(line);
  expect(totals.get()).toMatchObject({
    lines: 8,
    known: 3,
    unmatched: 5,
    settled: { lines: 2, amount: '50.00' },
    returned: { lines: 1, amount: '25.00' },
    unmatchedSettled: { lines: 4, amount: '100.00' },
  });
  expect(await ledger.verify()).not.toHaveProperty('fault');
});

test('a reference of one environment is not known in another, and one of another account is told', async () => {
  const { ledger, url } = await testLedger();
  await ledger.claim({ ...CLAIM, account: 'west', referenceId: 'ref-1' });
  const text = `${HEAD}ref-1,,25.00,2026-09-01,settled,\n`;
  expect(outcomes(await reconciled(openLedger(url, { environment: 'other' }), text))).toEqual(['unknown']);
  expect(outcomes(await reconciled(ledger, text, { account: 'east' }))).toEqual(['anotherAccount']);
  expect(outcomes(await reconciled(ledger, text, { account: 'west' }))).toEqual(['recorded']);
});

test('two runs of one file at once record each line once', async () => {
  const { ledger, url, database } = await testLedger();
  await generatePaid(database, 60);
  const rows = Array.from(
    { length: 60 },
    (_row, n) => `ref-${n},,${((n + 1) / 100).toFixed(2)},2026-09-01,settled,`,
  );
  const text = `${HEAD}${rows.join('\n')}\n`;
  const runs = await Promise.all([reconciled(ledger, text), reconciled(openLedger(url), text)]);
  runs[0].forEach((line, index) => {
    expect([line.outcome, runs[1][index]?.outcome].toSorted()).toEqual(['known', 'recorded']);
  });
  expect((await moneyIn(database)).settled).toEqual({ count: 60, cents: 1_830 });
});

test('files that come twice, out of order and are left in the midst lose no line and no cent', async () => {
  const { ledger, database } = await testLedger();
  const random = seededRandom(testSeed());
  await generatePaid(database, 500);
  const { files, settled, returned, lines, reasons } = deliveredFiles(500, random);
  // Some runs end somewhere, and the file comes again.
  for (const { text } of files.slice(0, 40)) {
    const left = 2 + Math.floor(random() * 5);
    for await (const { line } of ledger.reconcile(text)) if (line > left) break;
  }
  const totals = new ReconciliationTally();
  for (const { text } of files) for (const line of await reconciled(ledger, text)) totals.add(line);
  expect(await moneyIn(database)).toEqual({ settled, returned });
  expect(totals.get()).toMatchObject({ lines, reasons });
});
