import { expect, test } from '@jest/globals';
import type { PaymentFilter, PaymentLedger } from '../../../ledger';
import { EXPIRED, PAID, recordPayment } from '../../support/ledger/recorded-payment';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';

const FRIDAY = '2026-05-01T12:00:00.000Z';
const MONDAY = '2026-05-04T12:00:00.000Z';

async function keysOf(ledger: PaymentLedger, filter: PaymentFilter): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of ledger.payments.all(filter)) keys.push(key);
  return keys.toSorted();
}

async function settle(ledger: PaymentLedger, referenceId: string, date: string, kind = 'settled') {
  const file = `reference,amount,date,kind\n${referenceId},25.00,${date},${kind}\n`;
  for await (const { outcome } of ledger.reconcile(file)) expect(outcome).toBe('recorded');
}

// A payment is late if no reconciliation file has settled or returned it some business days after it was paid. Files may begin
// later than the ledger. So only payments from the first day on of which a file has settled a payment can be late.

test('a payment is late if it is not settled or returned after five business days, counted only from the first settled day on', async () => {
  let now = '2026-05-08T20:00:00.000Z';
  const { ledger, url } = await testLedger({ now: () => Date.parse(now), lateAfterDays: 5 });
  const pay = async (key: string, at: string, end = {}) =>
    recordPayment(ledger, { key, referenceId: key, at, end: { paid: true, status: 'Completed', ...end } });
  await pay('before-the-files', '2026-04-20T12:00:00.000Z');
  for (const key of ['settled', 'late', 'returned']) await pay(key, FRIDAY);
  await pay('monday', MONDAY);
  await pay('expired', FRIDAY, EXPIRED);
  now = '2026-05-15T20:00:00.000Z';
  expect(await keysOf(ledger, { late: true })).toEqual([]);
  await settle(ledger, 'settled', '2026-05-04');
  await settle(ledger, 'returned', '2026-05-05', 'returned');
  expect(await keysOf(ledger, { late: true })).toEqual(['late', 'monday']);
  now = '2026-05-11T20:00:00.000Z';
  expect(await keysOf(ledger, { late: true })).toEqual(['late']);
  now = '2026-05-08T20:00:00.000Z';
  expect(await keysOf(ledger, { late: true })).toEqual([]);
  // At this moment, it is already Saturday in Auckland.
  const early = openLedger(url, { now: () => Date.parse(now), timeZone: 'Pacific/Auckland' });
  expect(await keysOf(early, { late: true })).toEqual(['late']);
  expect(
    await keysOf(openLedger(url, { now: () => Date.parse(now), lateAfterDays: 2 }), { late: true }),
  ).toEqual(['late', 'monday']);
  expect((await early.payments.totals({ late: true })).sums).toMatchObject([{ count: 1, amount: '25' }]);
});

test('if the first settlements are on one day, payments can be late from the earliest day of those payments', async () => {
  const { ledger } = await testLedger({
    now: () => Date.parse('2026-05-15T20:00:00.000Z'),
    lateAfterDays: 2,
  });
  const pay = async (key: string, at: string) => recordPayment(ledger, { key, referenceId: key, at });
  await pay('a-monday', MONDAY);
  await pay('b-friday', FRIDAY);
  await pay('never-settled', FRIDAY);
  for (const key of ['a-monday', 'b-friday']) await settle(ledger, key, '2026-05-05');
  expect(await keysOf(ledger, { late: true })).toEqual(['never-settled']);
});

test('payments can be late from the day of the first settlement, although the settled payment’s own end is dated later', async () => {
  const { ledger } = await testLedger({
    now: () => Date.parse('2026-05-15T20:00:00.000Z'),
    lateAfterDays: 2,
  });
  await recordPayment(ledger, { key: 'never-settled', referenceId: 'never-settled', at: MONDAY });
  const end = { ...PAID, at: '2026-05-12T12:00:00.000Z' };
  await recordPayment(ledger, { key: 'slow', referenceId: 'slow', at: FRIDAY, end });
  await settle(ledger, 'slow', '2026-05-04');
  expect(await keysOf(ledger, { late: true })).toEqual(['never-settled']);
});

test('the first day on which payments can be late begins at midnight in the merchant’s time zone', async () => {
  const now = () => Date.parse('2026-05-15T20:00:00.000Z');
  const { ledger } = await testLedger({ now, lateAfterDays: 2, timeZone: 'America/Toronto' });
  const day = '2026-05-06T15:00:00.000Z';
  await recordPayment(ledger, { key: 'settled', referenceId: 'settled', at: day });
  await recordPayment(ledger, {
    key: 'day-before',
    referenceId: 'day-before',
    at: '2026-05-05T18:00:00.000Z',
  });
  await settle(ledger, 'settled', '2026-05-06');
  expect(await keysOf(ledger, { late: true })).toEqual([]);
});

test('the ledger’s arrivals list, for each day of payments, the expected, arrived, returned and missing amounts', async () => {
  const { ledger } = await testLedger({ now: () => Date.parse('2026-05-11T20:00:00.000Z') });
  const pay = async (key: string, at: string, direction: 'DEBIT' | 'CREDIT' = 'DEBIT') =>
    recordPayment(ledger, { key, referenceId: key, at, direction });
  for (const key of ['one', 'two', 'three']) await pay(key, FRIDAY);
  await pay('four', MONDAY, 'CREDIT');
  await settle(ledger, 'one', '2026-05-04');
  await settle(ledger, 'two', '2026-05-04');
  await settle(ledger, 'two', '2026-05-06', 'returned');
  const range = { from: '2026-05-01', to: '2026-05-31' };
  const sums = { currency: 'CAD', arrived: '0.00', returned: '0.00' };
  expect(await ledger.payments.arrivals(range)).toEqual([
    {
      ...sums,
      day: '2026-05-04',
      direction: 'CREDIT',
      payments: 1,
      expected: '25.00',
      outstanding: '25.00',
      outstandingPayments: 1,
      latePayments: 0,
    },
    {
      ...sums,
      day: '2026-05-01',
      direction: 'DEBIT',
      payments: 3,
      expected: '75.00',
      arrived: '25.00',
      returned: '25.00',
      outstanding: '25.00',
      outstandingPayments: 1,
      latePayments: 1,
    },
  ]);
  const { sums: totals } = await ledger.payments.totals({ direction: 'DEBIT' });
  expect(totals).toEqual([
    { direction: 'DEBIT', currency: 'CAD', count: 3, amount: '75', returned: { count: 1, amount: '25' } },
  ]);
});
