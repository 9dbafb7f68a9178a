import { DIRECTIONS, type Direction } from '../../ledger/sessions/summary';
import { clockIn, dayAfter } from '../../src/web/shell/time';
import type { Payments } from '../options';
import type { DayFigure, Figure } from '../../ledger/sessions/ledger-payments';

/** The ledger's payments of the last 30 days, day by day. */
export interface MoneyDays {
  /** The last day, in the merchant's time zone. */
  readonly today: string;
  readonly figures: readonly DayFigure[];
}

const SHOWN_DAYS = 30;
export const WEEK_DAYS = 7;

export async function moneyDays(payments: Pick<Payments, 'days'>, timeZone: string): Promise<MoneyDays> {
  const today = clockIn(new Date(), timeZone).day;
  const from = dayAfter(today, 1 - SHOWN_DAYS);
  return { today, figures: await payments.days({ from, to: today, timeZone }) };
}

/**
 * The number of payments, the number of paid payments, and the sum of all known amounts. The sum is in cents, because sums of fractional
 * dollars are not exact.
 */
export interface Sum {
  readonly count: number;
  readonly paid: number;
  readonly cents: number;
}

export type Sums = Readonly<Record<Figure, Sum>>;

const NONE: Sum = { count: 0, paid: 0, cents: 0 };

/** Adds up the figures of each event: opened, paid, settled and returned. */
export function sumsOf(figures: readonly DayFigure[]): Sums {
  const sums = { opened: NONE, paid: NONE, settled: NONE, returned: NONE };
  for (const { figure, count, paid, amount } of figures) {
    const before = sums[figure];
    sums[figure] = {
      count: before.count + count,
      paid: before.paid + paid,
      cents: before.cents + Math.round(Number(amount) * 100),
    };
  }
  return sums;
}

/** Returns the days in order, each with its sums. */
export function byDay({
  today,
  figures,
}: MoneyDays): readonly { readonly day: string; readonly sums: Sums }[] {
  const days = Array.from({ length: SHOWN_DAYS }, (_day, index) => dayAfter(today, index + 1 - SHOWN_DAYS));
  return days.map((day) => ({ day, sums: sumsOf(figures.filter((figure) => figure.day === day)) }));
}

/** Splits the payments by direction, money in first. Omits a direction without payments. Money in and money out are never added up. */
export function byDirection({ today, figures }: MoneyDays): readonly DirectedMoney[] {
  return DIRECTIONS.map((direction) => ({
    direction,
    money: { today, figures: figures.filter((figure) => figure.direction === direction) },
  })).filter(({ money }) => money.figures.length > 0);
}

/** The payments of one direction. */
export interface DirectedMoney {
  readonly direction: Direction;
  readonly money: MoneyDays;
}

/** Returns the figures of the last `days` days, including today. */
export const lastDays = ({ today, figures }: MoneyDays, days: number): readonly DayFigure[] =>
  figures.filter(({ day }) => day >= dayAfter(today, 1 - days) && day <= today);

export interface AccountSums {
  readonly account: string;
  readonly kind: string;
  readonly sums: Sums;
}

/** Groups the figures by account and kind. The group with the largest paid amount comes first. */
export function byAccount(figures: readonly DayFigure[]): readonly AccountSums[] {
  const groups = new Map<string, DayFigure[]>();
  for (const figure of figures) {
    const name = JSON.stringify([figure.account, figure.kind]);
    groups.set(name, [...(groups.get(name) ?? []), figure]);
  }
  const all = [...groups.values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [{ account: first.account, kind: first.kind, sums: sumsOf(own) }];
  });
  return all.sort(
    (a, b) => b.sums.paid.cents - a.sums.paid.cents || b.sums.opened.count - a.sums.opened.count,
  );
}
