import { expect, test } from '@jest/globals';
import type { PaymentLedger, ReconciledLine } from '../../../../ledger';
import type { ReconcileOptions } from '../../../../ledger/reconciliation/reconcile';
import { testSeed, seededRandom } from '../../../support/seed';
import { CLAIM } from '../../../support/ledger/claim';
import { deliveredFiles, moneyIn, recordPaidSessions } from '../../../support/ledger/reconciliation-files';
import { recordPaid } from '../../../support/ledger/recorded';
import {
  EXPIRED,
  PAID,
  recordPayment,
  sessionIdOf,
  type RecordedPayment,
} from '../../../support/ledger/recorded-payment';
import { openLedger, testLedger } from '../../../support/ledger/test-ledger';
import { ReconciliationTally } from '../../../../ledger/reconciliation/totals';

// The payment service sends reconciliation files. Each line reports that money was settled (has arrived) or was returned (came
// back). `reconcile` matches a line with a payment of the ledger by session id, or else by reference and amount. It records the
// lines that match one payment, and reports the others with a reason.

const HEAD = 'reference,session,amount,date,kind,code\n';

const fileOf = (...lines: readonly string[]): string => `${HEAD}${lines.join('\n')}\n`;

async function reconciled(ledger: PaymentLedger, text: string, options: ReconcileOptions = {}) {
  const lines: ReconciledLine[] = [];
  for await (const line of ledger.reconcile(text, options)) lines.push(line);
  return lines;
}

const outcomes = (lines: readonly ReconciledLine[]) => lines.map(({ outcome, reason }) => reason ?? outcome);

test('a reconciliation file’s lines are matched by session id or reference and recorded once, and the other lines are reported', async () => {
  const { ledger } = await testLedger();
  const { sessionId } = await recordPaid(ledger, 'order-1');
  await recordPayment(ledger, { key: 'order-2', referenceId: 'ref-2' });
  for (const key of ['order-3', 'order-4']) await recordPayment(ledger, { key, referenceId: 'ref-3' });
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
  expect(before.slice(-2).map(({ fact }) => fact)).toEqual([
    { kind: 'settled', at: '2026-09-01T00:00:00.000Z', amount: 25 },
    { kind: 'returned', at: '2026-09-30T00:00:00.000Z', amount: 25, code: 'NSF' },
  ]);
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

test('a reconciliation line is unknown if its payment is in another environment, and is reported if its payment has another account', async () => {
  const { ledger, url } = await testLedger();
  await recordPayment(ledger, { key: 'order-1', account: 'west', referenceId: 'ref-1' });
  const text = `${HEAD}ref-1,,25.00,2026-09-01,settled,\n`;
  expect(outcomes(await reconciled(openLedger(url, { environment: 'other' }), text))).toEqual(['unknown']);
  expect(outcomes(await reconciled(ledger, text, { account: 'east' }))).toEqual(['anotherAccount']);
  expect(outcomes(await reconciled(ledger, text, { account: 'west' }))).toEqual(['recorded']);
});

test('if two runs read the same reconciliation file at the same time, each line is recorded once', async () => {
  const { ledger, url, database } = await testLedger();
  await recordPaidSessions(ledger, 60);
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

test('if reconciliation files come twice, out of order and after stopped runs, each line is recorded exactly once', async () => {
  const { ledger, database } = await testLedger();
  const random = seededRandom(testSeed());
  await recordPaidSessions(ledger, 500);
  const { files, settled, returned, lines, reasons } = deliveredFiles(500, random);
  // The runs of the first 40 files stop midway. All files are then read again.
  for (const { text } of files.slice(0, 40)) {
    const left = 2 + Math.floor(random() * 5);
    for await (const { line } of ledger.reconcile(text)) if (line > left) break;
  }
  const totals = new ReconciliationTally();
  for (const { text } of files) for (const line of await reconciled(ledger, text)) totals.add(line);
  expect(await moneyIn(database)).toEqual({ settled, returned });
  expect(totals.get()).toMatchObject({ lines, reasons });
});

test('a reconciliation run that fails in the middle reports exactly the lines that it has recorded', async () => {
  const { ledger, database } = await testLedger();
  const keys = Array.from({ length: 20 }, (_key, place) => `order-${place}`);
  for (const key of keys) await recordPayment(ledger, { key, referenceId: key });
  await database.query(`create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'no'; end $$;
    create trigger refused before insert on paysession_ledger.entries
      for each row when (new.key = 'order-9') execute function refuse()`);
  const reported: (string | undefined)[] = [];
  const run = async () => {
    const text = fileOf(...keys.map((key) => `${key},,25.00,2026-09-01,returned,NSF`));
    for await (const { outcome, key } of ledger.reconcile(text))
      if (outcome === 'recorded') reported.push(key);
  };
  await expect(run()).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  const recorded = await database.query<{ readonly key: string }>(
    "select key from paysession_ledger.entries where kind = 'returned'",
  );
  expect(reported.length).toBeGreaterThan(0);
  expect(reported.toSorted()).toEqual(recorded.map(({ key }) => key).toSorted());
});

test('if hundreds of payments have the line’s reference, reconciliation chooses the only payment with the line’s amount', async () => {
  const { ledger } = await testLedger();
  const daysAgo = (days: number) => new Date(Date.parse(CLAIM.at) - days * 86_400_000).toISOString();
  const payments = Array.from({ length: 300 }, (_none, n) => ({
    key: `order-${n}`,
    referenceId: 'CUSTOMER-7',
    amount: 10 + n,
    at: daysAgo(n),
  }));
  await Promise.all(payments.map((payment) => recordPayment(ledger, payment)));
  // The payment `west` has the amount of `order-299`, but another account. The payment `twin` has the amount of `order-2`.
  await recordPayment(ledger, { key: 'west', referenceId: 'CUSTOMER-7', amount: 309, account: 'west' });
  await recordPayment(ledger, { key: 'twin', referenceId: 'CUSTOMER-7', amount: 12 });
  const line = (amount: number, kind: string) => `CUSTOMER-7,,${amount}.00,2026-03-05,${kind},`;
  const text = fileOf(
    line(309, 'settled'),
    line(309, 'returned'),
    line(11, 'settled'),
    line(12, 'returned'),
    line(9, 'settled'),
  );
  const found = await reconciled(ledger, text, { account: 'default' });
  expect(found.map(({ outcome, reason, key }) => [reason ?? outcome, key])).toEqual([
    ['recorded', 'order-299'],
    ['recorded', 'order-299'],
    ['recorded', 'order-1'],
    ['ambiguous', undefined],
    ['anotherAmount', undefined],
  ]);
});

// Of these payments with the same reference and amount, only `order-1` can have moved money on the line’s day. The others
// have expired or began later.
test('reconciliation leaves out payments that expired or began after the line’s day, and records the line with the remaining one', async () => {
  const { ledger } = await testLedger();
  const many = async (name: string, payment: Partial<RecordedPayment>) => {
    for (let n = 0; n < 10; n += 1)
      await recordPayment(ledger, { ...payment, key: `${name}-${n}`, referenceId: 'ref-1' });
  };
  await many('expired', { end: EXPIRED });
  await many('later', { at: '2026-03-20T00:00:00.000Z' });
  // These payments have expired at the service, but their ends are not recorded yet.
  await many('expiring', { end: null });
  const expired = {
    kind: 'state',
    at: CLAIM.at,
    number: 2,
    status: 'Expired',
    code: 'EFT0601',
    source: 'poll',
  } as const;
  for (let n = 0; n < 10; n += 1)
    await ledger.record({ key: `expiring-${n}`, firstRunId: `run-of-expiring-${n}` }, [expired]);
  await many('begun later', { at: '2026-03-20T00:00:00.000Z', end: null });
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  const text = fileOf('ref-1,,25.00,2026-03-02,settled,', 'ref-1,,25.00,2026-03-04,returned,');
  const found = await reconciled(ledger, text);
  expect(found).toMatchObject([1, 2].map(() => ({ outcome: 'recorded', key: 'order-1' })));
  await many('since', {});
  const again = await reconciled(ledger, text);
  expect(again).toMatchObject([1, 2].map(() => ({ outcome: 'known', key: 'order-1' })));
});

test('a reconciliation line is not recorded by its reference while an open session has the same reference', async () => {
  const { ledger } = await testLedger();
  const [tried, again] = [
    { key: 'order-1', referenceId: 'ref-1' },
    { key: 'order-2', referenceId: 'ref-1' },
  ];
  const settled = fileOf('ref-1,,25.00,2026-03-02,settled,');
  await recordPayment(ledger, { ...tried, end: null });
  expect(outcomes(await reconciled(ledger, settled))).toEqual(['stillOpen']);
  await recordPayment(ledger, again);
  expect(outcomes(await reconciled(ledger, settled))).toEqual(['stillOpen']);
  await recordPayment(ledger, { ...tried, end: EXPIRED });
  expect(await reconciled(ledger, settled)).toMatchObject([{ outcome: 'recorded', key: 'order-2' }]);
  await recordPayment(ledger, { key: 'order-3', referenceId: 'ref-1' });
  expect(await reconciled(ledger, settled)).toMatchObject([{ outcome: 'known', key: 'order-2' }]);
  const [payment] = (await ledger.payments.page({ money: 'settled' }, { size: 2 })).payments;
  expect(payment).toMatchObject({ key: 'order-2', settledAt: '2026-03-02T00:00:00.000Z' });
});

test('a reconciliation line with the id of an open session is recorded at once, also if the id is in capitals', async () => {
  const { ledger } = await testLedger();
  const sessionId = '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1';
  await recordPayment(ledger, { key: 'order-1', sessionId, end: null });
  const text = fileOf(`,${sessionId.toUpperCase()},25.00,2026-03-02,settled,`);
  expect(await reconciled(ledger, text)).toMatchObject([{ outcome: 'recorded', key: 'order-1' }]);
  await recordPayment(ledger, { key: 'order-1', sessionId, end: PAID });
  expect(outcomes(await reconciled(ledger, text))).toEqual(['known']);
});

// The payor of an open session with `amountModification` may still change its amount to the line’s amount.
test('a reconciliation line is not recorded by its reference while an open session of that reference has a changeable amount', async () => {
  const { ledger } = await testLedger();
  const asked = { key: 'order-1', referenceId: 'CUST-7', amount: 20, amountModification: true } as const;
  await recordPayment(ledger, { key: 'order-2', referenceId: 'CUST-7' });
  await recordPayment(ledger, { ...asked, end: null });
  const settled = fileOf('CUST-7,,25.00,2026-03-02,settled,');
  const padded = fileOf('CUST-7 ,,25.00,2026-03-02,settled,');
  for (const text of [settled, padded])
    expect(await reconciled(ledger, text)).toMatchObject([{ reason: 'stillOpen', key: 'order-1' }]);
  await recordPayment(ledger, { ...asked, end: { ...PAID, amount: 25 } });
  expect(outcomes(await reconciled(ledger, settled))).toEqual(['ambiguous']);
  const [mine, other] = [asked, { key: 'order-2' }].map((one) => `,${sessionIdOf(one)},25.00,2026-03-02`);
  const byId = fileOf(`${mine},settled,`, `${other},settled,`);
  expect(outcomes(await reconciled(ledger, byId))).toEqual(['recorded', 'recorded']);

  // The reference of the open session `order-5` ends with a space. It still keeps the line from being recorded.
  await recordPayment(ledger, { key: 'order-3', referenceId: 'CUST-8' });
  await recordPayment(ledger, { ...asked, key: 'order-4', referenceId: 'CUST-8', end: EXPIRED });
  await recordPayment(ledger, { ...asked, key: 'order-5', referenceId: 'CUST-9 ', end: null });
  const lines = fileOf('CUST-8,,25.00,2026-03-02,settled,', 'CUST-9,,25.00,2026-03-02,settled,');
  expect(
    (await reconciled(ledger, lines)).map(({ outcome, reason, key }) => [reason ?? outcome, key]),
  ).toEqual([
    ['recorded', 'order-3'],
    ['stillOpen', 'order-5'],
  ]);
  expect(await ledger.verify()).not.toHaveProperty('fault');
});

test('a reconciliation line with the id of an open session is recorded with the line’s amount if the payor may change the amount', async () => {
  const { ledger } = await testLedger();
  const asked = { key: 'order-1', amount: 20, amountModification: true } as const;
  await recordPayment(ledger, { ...asked, end: null });
  const line = (amount: number, kind: string) => `,${sessionIdOf(asked)},${amount}.00,2026-03-02,${kind},`;
  const text = fileOf(line(25, 'settled'), line(20, 'returned'), line(25, 'returned'));
  expect(outcomes(await reconciled(ledger, fileOf(line(25, 'settled'))))).toEqual(['recorded']);
  expect(outcomes(await reconciled(ledger, text))).toEqual(['known', 'anotherAmount', 'recorded']);
  const amountOfIt = async () => (await ledger.payments.among(['order-1'])).get('order-1')?.amount;
  expect(await amountOfIt()).toBe(25);
  await recordPayment(ledger, { ...asked, end: { ...PAID, amount: 25 } });
  expect(await amountOfIt()).toBe(25);
  expect(outcomes(await reconciled(ledger, text))).toEqual(['known', 'anotherAmount', 'known']);
  expect(await ledger.verify()).not.toHaveProperty('fault');
});

test('reconciliation compares references as written, and trims them if no payment fits and exactly one fits when trimmed', async () => {
  const { ledger } = await testLedger();
  const payments = ['INV-77 ', 'INV-77', 'INV-79\u00a0', ' INV-80'].map((referenceId, n) => ({
    key: `order-${n}`,
    referenceId,
  }));
  for (const payment of payments) await recordPayment(ledger, payment);
  const lines = ['INV-77 ', 'INV-77', '"INV-77\t"', 'INV-79', '  INV-80  ', 'inv-80'];
  const text = fileOf(
    ...lines.map((reference) => `${reference},,25.00,2026-03-02,settled,`),
    ...payments.map(
      (payment) => `${payment.referenceId.trim()},${sessionIdOf(payment)},25.00,2026-03-04,returned,`,
    ),
  );
  const found = await reconciled(ledger, text);
  expect(found.map(({ outcome, reason, key }) => [reason ?? outcome, key])).toEqual([
    ['recorded', 'order-0'],
    ['recorded', 'order-1'],
    ['ambiguous', undefined],
    ['recorded', 'order-2'],
    ['recorded', 'order-3'],
    ['unknown', undefined],
    ...payments.map(({ key }) => ['recorded', key]),
  ]);
  expect(outcomes(await reconciled(ledger, text))).toEqual(
    outcomes(found).map((outcome) => (outcome === 'recorded' ? 'known' : outcome)),
  );
});

test('a recorded reconciliation line stays with its payment, although a later payment fits its reference better', async () => {
  const { ledger } = await testLedger();
  await recordPayment(ledger, { key: 'order-1', referenceId: 'INV-77 ' });
  const text = fileOf('INV-77,,25.00,2026-03-02,settled,');
  expect(await reconciled(ledger, text)).toMatchObject([{ outcome: 'recorded', key: 'order-1' }]);
  await recordPayment(ledger, { key: 'order-2', referenceId: 'INV-77' });
  expect(await reconciled(ledger, text)).toMatchObject([{ outcome: 'known', key: 'order-1' }]);
});

test('a reconciliation line is reported if its day is before the session’s start or in the future', async () => {
  const { ledger } = await testLedger({ now: () => Date.parse('2026-03-10T00:00:00.000Z') });
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  // This payment began after the day of the last line, so that line can only belong to `order-1`.
  await recordPayment(ledger, { key: 'order-2', referenceId: 'ref-1', at: '2026-03-09T00:00:00.000Z' });
  const line = (date: string) => `ref-1,,25.00,${date},settled,`;
  const slips = ['2016-03-02', '0026-03-02', '2206-03-02', '9999-12-31', '2026-02-27'];
  const found = await reconciled(ledger, fileOf(...slips.map(line), line('2026-03-02')));
  expect(found.map(({ outcome, reason, key }) => [reason ?? outcome, key])).toEqual([
    ...slips.map(() => ['impossibleDate', undefined]),
    ['recorded', 'order-1'],
  ]);
});

test('a reconciliation line matches an amount that is a sum of doubles (0.30000000000000004), but not an amount of half a cent more', async () => {
  const { ledger } = await testLedger();
  const reported = [0.1 + 0.2, 1.1 * 3, 100 * 1.15, 25.005];
  for (const [n, amount] of reported.entries())
    await recordPayment(ledger, { key: `order-${n}`, referenceId: `ref-${n}`, end: { ...PAID, amount } });
  const text = fileOf(
    ...['0.30', '3.30', '115.00', '25.00'].map((amount, n) => `ref-${n},,${amount},2026-03-02,settled,`),
  );
  expect(outcomes(await reconciled(ledger, text))).toEqual([
    'recorded',
    'recorded',
    'recorded',
    'anotherAmount',
  ]);
});

test('reconciliation finds the paid session among expired ones, and names all sessions that fit an ambiguous line', async () => {
  const { ledger } = await testLedger();
  const keys = Array.from({ length: 4 }, (_none, n) => `order-${n}`);
  for (const [n, key] of keys.entries())
    await recordPayment(ledger, { key, referenceId: 'ref-1', end: n === 2 ? PAID : EXPIRED });
  const text = fileOf(
    'ref-1,,25.00,2026-03-02,settled,',
    `,${sessionIdOf({ key: 'order-3' })},25.00,2026-03-02,settled,`,
  );
  expect(
    (await reconciled(ledger, text)).map(({ outcome, reason, key }) => [reason ?? outcome, key]),
  ).toEqual([
    ['recorded', 'order-2'],
    ['notPaid', 'order-3'],
  ]);
  for (const key of ['order-5', 'order-6', 'order-7'])
    await recordPayment(ledger, { key, referenceId: 'ref-2' });
  const [line] = await reconciled(ledger, fileOf('ref-2,,25.00,2026-03-02,settled,'));
  expect(line).toMatchObject({
    reason: 'ambiguous',
    detail: expect.stringMatching(/order-5.*order-6.*order-7/),
  });
});

test('if a session was settled twice, the ledger shows the first settlement', async () => {
  const { ledger } = await testLedger();
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  const settled = (day: string) => ({ kind: 'settled', at: `${day}T00:00:00.000Z`, amount: 25 }) as const;
  const claim = { key: 'order-1', firstRunId: 'run-of-order-1' };
  expect(await ledger.record(claim, [settled('2026-03-02'), settled('2026-03-03')])).toBe(2);
  const [payment] = (await ledger.payments.page({}, { size: 2 })).payments;
  expect(payment).toMatchObject({ money: 'settled', settledAt: '2026-03-02T00:00:00.000Z' });
  const [line] = await reconciled(ledger, fileOf('ref-1,,25.00,2026-03-04,settled,'));
  expect(line).toMatchObject({ reason: 'twice', detail: 'the session was settled on 2026-03-02 already' });
  expect(await ledger.verify()).not.toHaveProperty('fault');
});

test('a session’s settlement is recorded before its return, also if the file lists the return first', async () => {
  const { ledger } = await testLedger();
  const keys = Array.from({ length: 45 }, (_none, n) => `order-${n}`);
  for (const key of keys) await recordPayment(ledger, { key });
  const line = (key: string, kind: string) => `,${sessionIdOf({ key })},25.00,2026-03-03,${kind},`;
  const others = Array.from({ length: 700 }, (_none, n) => `,nobody-${n},1.00,2026-03-03,settled,`);
  const text = fileOf(
    ...keys.flatMap((key, n) => (n % 3 === 0 ? [line(key, 'settled'), line(key, 'returned')] : [])),
    ...keys.filter((_key, n) => n % 3 !== 0).map((key) => line(key, 'returned')),
    ...keys.filter((_key, n) => n % 3 === 1).map((key) => line(key, 'settled')),
    ...others,
    ...keys.filter((_key, n) => n % 3 === 2).map((key) => line(key, 'settled')),
  );
  const found = await reconciled(ledger, text);
  expect(found).toHaveLength(790);
  expect(found.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(90);
  for (const key of keys) {
    const entries = await ledger.entriesOf(key);
    expect(entries.slice(-2).map(({ fact }) => fact.kind)).toEqual(['settled', 'returned']);
  }
  expect(outcomes(await reconciled(ledger, text))).not.toContain('recorded');
});

test('a reconciliation line whose reference belongs to a debit and a credit is ambiguous without a session id', async () => {
  const { ledger } = await testLedger();
  const out = { key: 'order-2', referenceId: 'ref-1', direction: 'CREDIT' } as const;
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  await recordPayment(ledger, out);
  const text = fileOf(
    'ref-1,,25.00,2026-03-02,settled,',
    `ref-1,${sessionIdOf(out)},25.00,2026-03-02,settled,`,
    `ref-1,${sessionIdOf(out)},25.00,2026-03-04,returned,`,
  );
  const found = await reconciled(ledger, text);
  expect(found).toMatchObject([
    { reason: 'ambiguous' },
    { outcome: 'recorded', direction: 'CREDIT' },
    { outcome: 'recorded', direction: 'CREDIT' },
  ]);
  const totals = new ReconciliationTally();
  for (const line of found) totals.add(line);
  expect(totals.get()).toMatchObject({
    settled: { lines: 0, amount: '0.00' },
    settledOut: { lines: 1, amount: '25.00' },
    returnedOut: { lines: 1, amount: '25.00' },
  });
});
