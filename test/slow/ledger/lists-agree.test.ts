import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { LedgerSession, PaymentFilter, PaymentLedger } from '../../../ledger';
import { exportedLine } from '../../../ledger/sessions/exported-line';
import { DIRECTIONS, MONEY_PLACES, summariesOf } from '../../../ledger/sessions/summary';
import { claimsOf } from '../../../src/protocol/ledger/fold';
import { parseCsv } from '../../support/cli/parse-csv';
import { consoleOf, look } from '../../support/console/session-page';
import { asListed } from '../../support/ledger/as-listed';
import { histories, keysOf, play } from '../../support/ledger/random-histories';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';
import { testSeed } from '../../support/seed';
import { until } from '../../support/wait';
import {
  FIGURES,
  type DayFigure,
  type PaymentOrder,
  type PaymentPlace,
} from '../../../ledger/sessions/ledger-payments';

/** Filters of lists, each with a function that is true for the payments that the filter should find. */
const FILTERS: readonly (readonly [PaymentFilter, (payment: LedgerSession) => boolean])[] = [
  [{}, () => true],
  ...DIRECTIONS.map(
    (direction) => [{ direction }, (one: LedgerSession) => one.direction === direction] as const,
  ),
  ...MONEY_PLACES.map((money) => [{ money }, (one: LedgerSession) => one.money === money] as const),
  [{ account: 'west' }, ({ account }) => account === 'west'],
  [{ outcome: 'open', paid: false }, ({ outcome, paid }) => outcome === 'open' && !paid],
  [{ amountFrom: 12.5, amountTo: 25 }, ({ amount = -1 }) => amount >= 12.5 && amount <= 25],
];

const ORDERS: readonly PaymentOrder[] = (['claimed', 'ended', 'amount'] as const).flatMap((by) =>
  (['asc', 'desc'] as const).map((direction) => ({ by, direction })),
);

const idOf = ({ key, claim }: LedgerSession): string => `${key} ${claim}`;

const placeOf = (payment: LedgerSession, by: PaymentOrder['by']): number =>
  by === 'amount'
    ? (payment.amount ?? -1)
    : Date.parse((by === 'claimed' ? payment.claimedAt : payment.endedAt) ?? '1970');

function sorted(
  payments: readonly LedgerSession[],
  { by, direction }: PaymentOrder,
): readonly LedgerSession[] {
  const upwards = payments.toSorted(
    (one, other) =>
      placeOf(one, by) - placeOf(other, by) ||
      (one.key < other.key ? -1 : one.key > other.key ? 1 : one.claim - other.claim),
  );
  return direction === 'asc' ? upwards : upwards.toReversed();
}

const centsOf = (amount: number | string = 0): number => Math.round(Number(amount) * 100);

/** Returns the sums of payments by direction, in cents. Payments without an amount are left out. */
function sumsOf(payments: readonly LedgerSession[]) {
  return DIRECTIONS.map((direction) => {
    const own = payments.filter((one) => one.direction === direction && one.amount !== undefined);
    return { direction, ...sumOf(own), returned: sumOf(own.filter(({ money }) => money === 'returned')) };
  }).filter(({ count }) => count > 0);
}

const sumOf = (payments: readonly LedgerSession[]) => ({
  count: payments.length,
  cents: payments.reduce((sum, { amount }) => sum + centsOf(amount), 0),
});

/** Returns one text for each event of a payment: its day in UTC, its direction and what happened. */
function daysOf(payments: readonly LedgerSession[]): readonly string[] {
  const at = {
    opened: ({ sessionId, claimedAt }: LedgerSession) => (sessionId === undefined ? undefined : claimedAt),
    paid: ({ paid, endedAt }: LedgerSession) => (paid ? endedAt : undefined),
    settled: ({ settledAt }: LedgerSession) => settledAt,
    returned: ({ returnedAt }: LedgerSession) => returnedAt,
  };
  const sums = new Map<string, { count: number; cents: number }>();
  for (const payment of payments) {
    for (const figure of FIGURES) {
      const day = at[figure](payment)?.slice(0, 10);
      if (day === undefined) continue;
      const name = [figure, day, payment.account, payment.direction].join(' ');
      const { count, cents } = sums.get(name) ?? { count: 0, cents: 0 };
      sums.set(name, { count: count + 1, cents: cents + centsOf(payment.amount) });
    }
  }
  return [...sums].map(([name, { count, cents }]) => `${name} ${count} ${cents}`).sort();
}

/** Adds up the figures of each day, account and direction over all kinds of sessions. */
function figuresByName(figures: readonly DayFigure[]): readonly string[] {
  const sums = new Map<string, { count: number; cents: number }>();
  for (const { figure, day, account, direction, count, amount } of figures) {
    const name = [figure, day, account, direction].join(' ');
    const before = sums.get(name) ?? { count: 0, cents: 0 };
    sums.set(name, { count: before.count + count, cents: before.cents + centsOf(amount) });
  }
  return [...sums].map(([name, { count, cents }]) => `${name} ${count} ${cents}`).sort();
}

async function gathered<T>(all: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const one of all) found.push(one);
  return found;
}

async function pagesOf(
  { payments }: PaymentLedger,
  filter: PaymentFilter,
  order: PaymentOrder,
): Promise<readonly LedgerSession[]> {
  const seen: LedgerSession[] = [];
  let after: PaymentPlace | undefined;
  do {
    const page = await payments.page(filter, { size: 2, order, after });
    seen.push(...page.payments);
    after = page.next;
  } while (after !== undefined);
  return seen;
}

/**
 * Returns the payments that lists should contain, computed from the entries alone. A claim is listed if it is the key’s current
 * one or has a session of its own.
 */
async function listedBy(ledger: PaymentLedger, keys: readonly string[]): Promise<readonly LedgerSession[]> {
  const found = await Promise.all(
    keys.map(async (key) => {
      const summaries = summariesOf(claimsOf(await ledger.entriesOf(key)));
      return summaries
        .filter(({ stands, sessionId }) => stands || sessionId !== undefined)
        .map((summary) => asListed(key, summary));
    }),
  );
  return found.flat();
}

test('after random histories, the ledger’s lists, sums, days and exports and the console’s pages contain the same payments', async () => {
  const { url } = await testLedger();
  const seed = testSeed();
  const property = fc.asyncProperty(histories, async (steps) => {
    const id = randomUUID();
    const ledger = openLedger(url, { environment: id });
    await play(ledger, steps, { id });
    const listed = await listedBy(ledger, Object.values(keysOf(id)));
    for (const [filter, matches] of FILTERS) {
      const found = listed.filter(matches);
      const order = ORDERS[found.length % ORDERS.length] ?? { by: 'claimed', direction: 'desc' };
      expect(await gathered(ledger.payments.all(filter, order))).toEqual(sorted(found, order));
      expect(await pagesOf(ledger, filter, order)).toEqual(sorted(found, order));
      const { count, sums } = await ledger.payments.totals(filter);
      expect(count).toBe(found.length);
      const inCents = sums.map(({ direction, count: own, amount, returned }) => ({
        direction,
        count: own,
        cents: centsOf(amount),
        returned: { count: returned.count, cents: centsOf(returned.amount) },
      }));
      expect(inCents).toEqual(sumsOf(found));
    }
    const days = await ledger.payments.days({ from: '2026-01-01', to: '2026-12-31', timeZone: 'UTC' });
    expect(figuresByName(days)).toEqual(daysOf(listed));
    await checkConsole(ledger, listed);
    await ledger.close();
  });
  await fc.assert(property, { seed, numRuns: 30 });
});

async function checkConsole(ledger: PaymentLedger, listed: readonly LedgerSession[]): Promise<void> {
  const nowhere = {} as Parameters<typeof consoleOf>[0];
  const { app } = consoleOf({ ...nowhere, ledger });
  const newest = sorted(listed, { by: 'claimed', direction: 'desc' });
  const { body, text } = await until(
    () => look(app, '/payments'),
    ({ text: shown }) => !shown.includes('Still adding up'),
  );
  const keys = [...body.matchAll(/<a class="key" href="\/sessions\/(.*?)"/g)].map(([, key]) => key);
  expect(keys).toEqual(newest.map(({ key }) => key));
  if (listed.length > 0)
    expect(text).toContain(listed.length === 1 ? '1 payment' : `${listed.length} payments`);
  for (const { cents } of sumsOf(listed))
    expect(text.replaceAll(',', '')).toContain(`$${(cents / 100).toFixed(2)} CAD`);
  const [head = [], ...rows] = parseCsv((await look(app, '/payments.csv')).body);
  const cell = (row: readonly string[], name: string) => row[head.indexOf(name)] ?? '';
  expect(rows.map((row) => `${cell(row, 'key')} ${cell(row, 'claim')}`)).toEqual(newest.map(idOf));
  const exported = newest.map(
    (one) => JSON.parse(exportedLine(one, 'jsonl')) as Record<string, string | number | boolean>,
  );
  for (const name of ['direction', 'amount', 'money', 'firstRunId', 'paid'])
    expect(rows.map((row) => cell(row, name))).toEqual(exported.map((one) => String(one[name] ?? '')));
  await app.close();
}
