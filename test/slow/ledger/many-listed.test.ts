import { describe, expect, jest, test } from '@jest/globals';
import type { PaymentFilter } from '../../../ledger';
import {
  LedgerPayments,
  type PaymentOrder,
  type PaymentPageOptions,
} from '../../../ledger/sessions/ledger-payments';
import { generateSessions } from '../../support/ledger/generated';
import { testLedger } from '../../support/ledger/test-ledger';

const NEWEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'desc' };
const OLDEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'asc' };

/** A step of PostgreSQL's plan for a statement, with its actual numbers. */
interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Returns the number of rows that the plan has read from the table and from indexes. */
function rowsRead(plan: Plan): number {
  const isScan = /^(Seq|Index|Index Only|Bitmap Heap|Bitmap Index) Scan$/.test(plan['Node Type']);
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), isScan ? own : 0);
}

describe('in a ledger of 50,000 sessions', () => {
  test('a page of the list reads few rows, whatever its filter and order', async () => {
    const { database } = await testLedger();
    await generateSessions(database, 50_000);
    const query = jest.spyOn(database, 'query');
    const payments = new LedgerPayments(database, { environment: 'default', now: Date.now });
    const filters: readonly PaymentFilter[] = [
      {},
      { referenceId: 'ref-4711' },
      { referenceId: 'nobody' },
      { account: 'account-7' },
      { account: 'nobody' },
      { amountFrom: 12.34, amountTo: 12.34 },
      { amountFrom: 99_999 },
      { direction: 'CREDIT' },
      { late: true },
      { claimedFrom: new Date('2026-01-10'), claimedBefore: new Date('2026-01-11') },
      { account: 'account-7', amountTo: 0.08, claimedFrom: new Date('2026-01-10') },
    ];
    const within = { claimedFrom: new Date('2026-01-01'), claimedBefore: new Date('2027-01-01') };
    const early = { at: '2026-01-02 00:00:00+00', key: 'order-1440', claim: 1 };
    const late = { at: '2026-02-01 00:00:00+00', key: 'order-44640', claim: 1 };
    const size = 500;
    const pages: readonly (readonly [PaymentFilter, PaymentPageOptions])[] = [
      ...filters.map((filter) => [filter, { size }] as const),
      [{}, { size, order: OLDEST_FIRST }],
      [within, { size, order: OLDEST_FIRST, after: late }],
      [within, { size, order: NEWEST_FIRST, after: early }],
    ];
    for (const [filter, options] of pages) {
      query.mockClear();
      await payments.page(filter, options);
      const asked = [...query.mock.calls];
      let read = 0;
      for (const [sql, values] of asked) {
        const [row] = await database.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
          `explain (analyze, format json) ${sql}`,
          values,
        );
        read += row === undefined ? NaN : rowsRead(row['QUERY PLAN'][0].Plan);
      }
      // Few: enough rows to count and sort a small selection, and to read a page.
      expect({ filter, options, isSmall: read < 12_000, read }).toMatchObject({ isSmall: true });
    }
  });
});
