import { expect, jest, test } from '@jest/globals';
import type { LedgerDatabase, PaymentFilter } from '../../../ledger';
import { findCandidates } from '../../../ledger/reconciliation/candidates';
import type { FileLine } from '../../../ledger/reconciliation/file-line';
import {
  LedgerPayments,
  type PaymentOrder,
  type PaymentPageOptions,
} from '../../../ledger/sessions/ledger-payments';
import { generateSessions } from '../../support/ledger/generated';
import { testLedger } from '../../support/ledger/test-ledger';

const NEWEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'desc' };
const OLDEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'asc' };

/** A step of PostgreSQL’s `explain analyze`, with the numbers of rows that it really read. */
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

/** Returns the number of rows that PostgreSQL reads for these statements. */
async function rowsReadBy(database: LedgerDatabase, asked: readonly Parameters<LedgerDatabase['query']>[]) {
  let read = 0;
  for (const [sql, values] of asked) {
    const [row] = await database.query<{ 'QUERY PLAN': readonly [{ Plan: Plan }] }>(
      `explain (analyze, format json) ${sql}`,
      values,
    );
    read += row === undefined ? NaN : rowsRead(row['QUERY PLAN'][0].Plan);
  }
  return read;
}

test('in a ledger of 50,000 sessions, a page of the list and a reconciliation line read few rows', async () => {
  const { database } = await testLedger();
  await generateSessions(database, 50_000);
  await pagesReadFewRows(database);
  await linesReadFewRows(database);
});

/** Checks that a page of the list reads less than 12,000 rows, for each filter and order. */
async function pagesReadFewRows(database: LedgerDatabase): Promise<void> {
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
    const read = await rowsReadBy(database, [...query.mock.calls]);
    // The limit leaves room to count and sort a small selection, and to read a page.
    expect({ filter, options, isSmall: read < 12_000, read }).toMatchObject({ isSmall: true });
  }
  query.mockRestore();
}

/** Checks that a reconciliation line reads few payments, although a third of all payments have its reference. */
async function linesReadFewRows(database: LedgerDatabase): Promise<void> {
  await database.transaction((statements) =>
    statements.query(
      `update paysession_ledger.claims set reference_id = 'CUSTOMER-7 ', trimmed_reference = 'CUSTOMER-7',
            fits_any_amount = substr(key, 7)::int % 5000 = 0
          where substr(key, 7)::int % 3 = 1`,
    ),
  );
  await database.transaction((statements) => statements.query('analyze paysession_ledger.claims'));
  const query = jest.spyOn(database, 'query');
  for (const referenceId of ['CUSTOMER-7 ', 'CUSTOMER-7', 'nobody']) {
    query.mockClear();
    const line: FileLine = { kind: 'settled', date: '2026-02-10', cents: 99_999, referenceId };
    const found = await findCandidates({ database, environment: 'default' }, [line], { nowMs: Date.now() });
    const read = await rowsReadBy(database, [...query.mock.calls]);
    const open = found.of(line).filter(({ fitsAnyAmount }) => fitsAnyAmount).length;
    expect({ referenceId, open, read, isSmall: read < 100 }).toMatchObject({
      open: referenceId === 'nobody' ? 0 : 3,
      isSmall: true,
    });
  }
}
