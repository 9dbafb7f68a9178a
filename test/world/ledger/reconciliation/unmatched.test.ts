import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { PaymentLedger, UnmatchedLine } from '../../../../ledger';
import type { ReconcileOptions } from '../../../../ledger/reconciliation/reconcile';
import { reconcileWhole } from '../../../support/ledger/reconciliation-files';
import { recordPayment, sessionIdOf } from '../../../support/ledger/recorded-payment';
import { openLedger, testLedger } from '../../../support/ledger/test-ledger';

// Reconciliation files have lines that match no payment. The ledger keeps these lines in a queue. A line waits there until a
// later run matches it, or until a person explains it.

const HEAD = 'reference,session,amount,date,kind,code\n';
const WHO = { by: 'ann', reason: 'a refund of last year' };

async function reconcile(ledger: PaymentLedger, lines: readonly string[], options: ReconcileOptions = {}) {
  const file = `${HEAD}${lines.join('\n')}\n`;
  const done = await reconcileWhole(ledger, file, { name: '/home/ann/may-06.csv', ...options });
  return done.map(({ id }) => id);
}

const waitingIn = async (ledger: PaymentLedger): Promise<readonly UnmatchedLine[]> =>
  (await ledger.unmatched.page({ size: 100 })).lines;

test('an unmatched reconciliation line waits until a later run matches it, and the ledger then deletes the line’s reference', async () => {
  const { ledger, database } = await testLedger();
  const lines = ['ref-1,,25.00,2026-09-01,settled,', 'ref-2,,25.10,2026-09-02,returned,901'];
  await reconcile(ledger, lines, { dryRun: true });
  expect(await waitingIn(ledger)).toEqual([]);
  expect(await ledger.unmatched.runs({ size: 10 })).toEqual([]);

  const [first, second] = await reconcile(ledger, lines);
  const kept = await waitingIn(ledger);
  const at = {
    runId: expect.any(String),
    file: 'may-06.csv',
    seenAt: expect.any(String),
    reason: 'unknown',
    currency: undefined,
  };
  expect(kept).toEqual([
    {
      ...at,
      id: second,
      line: 3,
      kind: 'returned',
      date: '2026-09-02',
      amount: '25.10',
      referenceId: 'ref-2',
      code: '901',
    },
    { ...at, id: first, line: 2, kind: 'settled', date: '2026-09-01', amount: '25.00', referenceId: 'ref-1' },
  ]);
  expect(await ledger.unmatched.totals()).toEqual({
    count: 2,
    sums: [{ currency: 'CAD', settled: '25.00', returned: '25.10' }],
  });
  await reconcile(ledger, lines, { name: 'again.csv' });
  const [{ id: runId } = {}] = await ledger.unmatched.runs({ size: 1 });
  expect(await waitingIn(ledger)).toEqual(kept.map((line) => ({ ...line, runId })));

  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1', end: null });
  await reconcile(ledger, lines);
  expect((await waitingIn(ledger)).map(({ reason }) => reason)).toEqual(['unknown', 'stillOpen']);
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  await reconcile(ledger, lines);
  expect((await waitingIn(ledger)).map(({ id }) => id)).toEqual([second]);
  const { lines: all } = await ledger.unmatched.page({ size: 10, all: true });
  expect(all.find(({ id }) => id === first)).toMatchObject({ key: 'order-1', matchedAt: expect.any(String) });
  expect(
    await database.query('select reference_id from paysession_ledger.unmatched_lines order by line'),
  ).toEqual([{ reference_id: null }, { reference_id: 'ref-2' }]);
  const runs = await ledger.unmatched.runs({ size: 10 });
  expect(
    runs.map(({ file, recorded, known, unmatched, resolved }) => [
      file,
      recorded,
      known,
      unmatched,
      resolved,
    ]),
  ).toEqual([
    ['may-06.csv', 1, 0, 1, 1],
    ['may-06.csv', 0, 0, 2, 0],
    ['again.csv', 0, 0, 2, 0],
    ['may-06.csv', 0, 0, 2, 0],
  ]);
  expect(runs.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
  expect((await ledger.verify()).fault).toBeUndefined();
});

test('two equal unmatched reconciliation lines of a file wait separately, and each unreadable line waits separately', async () => {
  const { ledger } = await testLedger();
  const copies = ['ref-1,,25.00,2026-09-01,settled,', 'ref-1,,25.00,2026-09-01,settled,'];
  const broken = ['ref-2,,much,2026-09-01,settled,', 'ref-3,,1.00,2026-09-01,settled,,"'];
  await reconcile(ledger, [...copies, ...broken]);
  await reconcile(ledger, [...copies, ...broken]);
  const lines = await waitingIn(ledger);
  expect(lines.map(({ line, reason, amount }) => [line, reason, amount])).toEqual([
    [5, 'cutOff', undefined],
    [4, 'unreadable', undefined],
    [3, 'unknown', '25.00'],
    [2, 'unknown', '25.00'],
  ]);
  await reconcile(ledger, ['ref-2,,more,2026-09-01,settled,', 'ref-4,,1.00,2026-09-01,settled,,"']);
  expect(await waitingIn(ledger)).toHaveLength(6);
  expect(await ledger.unmatched.totals()).toEqual({
    count: 6,
    sums: [{ currency: 'CAD', settled: '50.00', returned: '0.00' }],
  });
  // The payment matches one of the two equal lines. The other line keeps waiting.
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  await reconcile(ledger, copies);
  await reconcile(ledger, copies);
  expect((await waitingIn(ledger)).filter(({ kind }) => kind !== undefined)).toMatchObject([
    { reason: 'twice', line: 3 },
  ]);
  expect((await ledger.verify()).fault).toBeUndefined();
});

test.each([
  ['in its first line without a line break', '{reference},,1.00,2026-09-01,set'],
  ['in its first line within quotes', '"{reference},,1.00,2026-09-01,settled,\n'],
  [
    'in its first line at a stray quote',
    `{reference},,1"00,2026-09-01,settled,\n${'ref-9,,1.00,2026-09-01,settled,\n'.repeat(5_000)}`,
  ],
  ['in its second line, after the same text', '{reference},,1.00,2026-09-01,settled,\nref-9,,1.00,2026'],
])('two reconciliation files that break off %s wait as two lines', async (_where, text) => {
  const { ledger } = await testLedger();
  const read = async (reference: string) => {
    const lines = await reconcileWhole(ledger, HEAD + text.replace('{reference}', reference));
    return lines.at(-1)?.id ?? '';
  };
  const broken = async () => (await waitingIn(ledger)).filter(({ reason }) => reason !== 'unknown');
  const first = await read('ref-1');
  await ledger.explainLine(first, WHO);
  expect(await read('ref-1')).toBe(first);
  expect(await broken()).toEqual([]);
  const other = await read('ref-2');
  expect((await broken()).map(({ id }) => id)).toEqual([other]);
});

test('the same unmatched reconciliation line waits once for each account whose file has it', async () => {
  const { ledger } = await testLedger();
  const same = ['ref-1,,25.00,2026-09-01,settled,', 'ref-1,,25.00,2026-09-01,settled,'];
  const [first, second] = await reconcile(ledger, same, { account: 'west' });
  expect(await waitingIn(ledger)).toMatchObject([
    { id: second, account: 'west' },
    { id: first, account: 'west' },
  ]);
  const [plain] = await reconcile(ledger, same.slice(1));
  await recordPayment(ledger, { key: 'east-1', referenceId: 'ref-1', account: 'east' });
  // The line matches a payment of the account `east`. Its copy without an account stops waiting too.
  await reconcile(ledger, same.slice(1), { account: 'east' });
  expect((await waitingIn(ledger)).map(({ id }) => id)).toEqual([second, first]);
  const { lines } = await ledger.unmatched.page({ size: 10, all: true });
  expect(lines.find(({ id }) => id === plain)).toMatchObject({ key: 'east-1' });
  await recordPayment(ledger, { key: 'west-1', referenceId: 'ref-2', account: 'west', end: null });
  await reconcile(ledger, ['ref-2,,25.00,2026-09-01,settled,'], { account: 'west' });
  await recordPayment(ledger, { key: 'west-1', referenceId: 'ref-2' });
  await reconcile(ledger, ['ref-2,,25.00,2026-09-01,settled,']);
  expect((await waitingIn(ledger)).map(({ id }) => id)).toEqual([second, first]);
  expect((await ledger.verify()).fault).toBeUndefined();
});

test('if lines were explained after a reconciliation run with the wrong account, a run with the right account makes them wait again', async () => {
  const { ledger } = await testLedger();
  await recordPayment(ledger, { key: 'east-1', referenceId: 'ref-1', account: 'east', amount: 30 });
  const lines = [
    `,${sessionIdOf({ key: 'east-1' })},25.00,2026-09-01,settled,`,
    'ref-2,,much,2026-09-01,settled,',
  ];
  await reconcile(ledger, lines, { account: 'west' });
  expect((await waitingIn(ledger)).map(({ reason }) => reason)).toEqual(['unreadable', 'anotherAccount']);
  for (const { id } of await waitingIn(ledger)) await ledger.explainLine(id, WHO);
  await reconcile(ledger, lines, { account: 'east' });
  expect((await waitingIn(ledger)).map(({ reason }) => reason)).toEqual(['unreadable', 'anotherAmount']);
});

test('once explained, a reconciliation line stops waiting, its reference is deleted, and a repeated file does not make it wait again', async () => {
  const { ledger, url } = await testLedger();
  const lines = ['Ann Payor,,25.00,2026-09-01,settled,'];
  const [id = ''] = await reconcile(ledger, lines);
  await expect(ledger.explainLine('0123456789abcdef', WHO)).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  await expect(ledger.explainLine(id, { ...WHO, reason: '' })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
  });
  const elsewhere = openLedger(url, { environment: 'other' });
  await expect(elsewhere.explainLine(id, WHO)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  const answers = await Promise.all([
    ledger.explainLine(id, WHO),
    ledger.explainLine(id, { ...WHO, by: 'bob' }),
  ]);
  expect(answers.toSorted()).toEqual(['alreadyExplained', 'explained']);
  await reconcile(ledger, lines);
  expect(await waitingIn(ledger)).toEqual([]);
  const { lines: all } = await ledger.unmatched.page({ size: 10, all: true });
  expect(all).toMatchObject([
    { id, amount: '25.00', explanation: WHO.reason, explainedAt: expect.any(String) },
  ]);
  expect(JSON.stringify(all)).not.toContain('Payor');
});

// `explainRun` explains the waiting lines of a run, apart from lines that a later run has read again.
test('explainRun explains the waiting lines of one reconciliation run, without lines that a later run has read', async () => {
  const { ledger, url } = await testLedger();
  const wrong = ['Ann Payor,,25.00,06/05/2026,settled,', 'Bob Payor,,1.00,2026-09-01,settled,'];
  const shared = 'ref-3,,25.00,2026-09-01,settled,';
  const [runId, again] = [randomUUID(), randomUUID()];
  await reconcile(ledger, wrong, { runId: randomUUID() });
  const [, , read] = await reconcile(ledger, [...wrong, shared], { runId });
  // Two later runs: the first reads another line, and the second reads the line `shared` again.
  const [kept] = await reconcile(ledger, ['ref-1,,25.00,2026-09-01,settled,']);
  const [matched = ''] = await reconcile(ledger, ['ref-2,,25.00,2026-09-01,settled,', shared], {
    runId: again,
  });
  await recordPayment(ledger, { key: 'order-2', referenceId: 'ref-2' });
  await reconcile(ledger, ['ref-2,,25.00,2026-09-01,settled,']);
  expect(await ledger.unmatched.totals(runId)).toMatchObject({ count: 2 });
  expect(await openLedger(url, { environment: 'other' }).explainRun(runId, WHO)).toBe(0);
  await expect(ledger.explainRun(runId, { ...WHO, by: '' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await ledger.explainRun(runId, WHO)).toBe(2);
  expect(await ledger.explainRun(runId, WHO)).toBe(0);
  expect((await waitingIn(ledger)).map(({ id, runId: last }) => [id, last])).toEqual([
    [kept, expect.any(String)],
    [read, again],
  ]);
  expect(await ledger.explainLine(matched, WHO)).toBe('alreadyMatched');
  const { lines: all } = await ledger.unmatched.page({ size: 10, all: true });
  expect(all.filter(({ by }) => by === 'ann')).toHaveLength(2);
  expect(JSON.stringify(all)).not.toContain('Payor');
  expect((await ledger.verify()).fault).toBeUndefined();
});

test('unmatched reconciliation lines contain no payor’s name, although the column of names was chosen as session id', async () => {
  const { ledger } = await testLedger();
  const file =
    'payor,money,amount,date,kind\nAnn Payor,CAD,25.00,2026-09-01,settled\n,Ann,1.00,2026-09-01,settled\nx,C\0D,1.00,2026-09-01,settled\n';
  await reconcileWhole(ledger, file, { columns: { session: 'payor', currency: 'money' } });
  const kept = await waitingIn(ledger);
  expect(kept.map(({ reason }) => reason)).toEqual(['unreadable', 'unreadable', 'unknown']);
  expect(JSON.stringify(kept)).not.toContain('Ann');
  expect((await ledger.verify()).fault).toBeUndefined();
});

test('the totals of unmatched reconciliation lines have one sum for each currency', async () => {
  const { ledger } = await testLedger();
  const file =
    'reference,amount,currency,date,kind\na,25.00,USD,2026-09-01,settled\nb,1.00,CAD,2026-09-01,returned\n';
  await reconcileWhole(ledger, file);
  expect(await ledger.unmatched.totals()).toEqual({
    count: 2,
    sums: [
      { currency: 'CAD', settled: '0.00', returned: '1.00' },
      { currency: 'USD', settled: '25.00', returned: '0.00' },
    ],
  });
});

test('unmatched reconciliation lines are listed in pages, the newest line first', async () => {
  const { ledger } = await testLedger();
  await reconcile(
    ledger,
    Array.from({ length: 5 }, (_line, place) => `ref-${place},,1.00,2026-09-01,settled,`),
  );
  const first = await ledger.unmatched.page({ size: 2 });
  const second = await ledger.unmatched.page({ size: 2, after: first.next });
  const third = await ledger.unmatched.page({ size: 2, after: second.next });
  expect([first, second, third].map(({ lines }) => lines.map(({ line }) => line))).toEqual([
    [6, 5],
    [4, 3],
    [2],
  ]);
  expect(third.next).toBeUndefined();
});
