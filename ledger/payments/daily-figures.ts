import type { LedgerDatabase } from '../postgres/database';
import type { Direction } from '../sessions/summary';

/** What is counted of a day: the sessions that were opened, paid, settled and returned on it. */
export const FIGURES = ['opened', 'paid', 'settled', 'returned'] as const;
export type Figure = (typeof FIGURES)[number];

/** The sessions of one kind, direction and account to which one thing happened on one day. */
export interface DayFigure {
  readonly figure: Figure;
  /** The day in the merchant's time zone; of money that has arrived or come back, as the payment service's file has it. */
  readonly day: string;
  readonly account: string;
  readonly kind: string;
  readonly direction: Direction;
  readonly currency: string;
  readonly count: number;
  /** How many of them are paid by now. */
  readonly paid: number;
  /** Dollars of those whose amount is known, as a decimal text. */
  readonly amount: string;
}

export interface DaysOptions {
  /** The first day and the last, such as `2026-03-01`. */
  readonly from: string;
  readonly to: string;
  /** Whose days they are: a name of the IANA time zone database. */
  readonly timeZone: string;
}

/** Where each stands, and since when: a session is paid when it ends so. A file's day is no moment, and no time zone moves it. */
const SOURCES: Readonly<
  Record<Figure, { readonly at: string; readonly where: string; readonly isDay?: true }>
> = {
  opened: { at: 'claimed_at', where: 'session_id is not null' },
  paid: { at: "coalesce(ended_at, timestamptz '-infinity')", where: 'paid and ended_at is not null' },
  settled: { at: 'settled_at', where: 'settled_at is not null', isDay: true },
  returned: { at: 'returned_at', where: 'returned_at is not null', isDay: true },
};

/** Counts and sums payments by day, account, kind and direction; a day on which nothing happened is absent. */
export async function daysOf(
  database: LedgerDatabase,
  environment: string,
  { from, to, timeZone }: DaysOptions,
): Promise<readonly DayFigure[]> {
  const parts = FIGURES.map((figure) => {
    const { at, where, isDay } = SOURCES[figure];
    const zone = isDay ? "'UTC'" : '$4';
    return `select '${figure}' as figure, to_char(${at} at time zone ${zone}, 'YYYY-MM-DD') as day, account, kind, direction, currency,
        count(*)::int as count, count(*) filter (where paid)::int as paid, coalesce(sum(amount), 0)::text as amount
      from paysession_ledger.claims
      where environment = $1 and listed and ${where} and ${at} >= ($2::date::timestamp at time zone ${zone})
        and ${at} < (($3::date + 1)::timestamp at time zone ${zone})
      group by 1, 2, 3, 4, 5, 6`;
  });
  return database.query<DayFigure>(parts.join(' union all '), [environment, from, to, timeZone]);
}
