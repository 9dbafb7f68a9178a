import { isTimeZone, TIME_ZONE_RULE } from '../../src/contract/values/day';
import { SettingsError } from '../../src/errors';
import { lateAfterDays as lateAfterDaysRule } from '../../src/settings/setting-values';
import type { LedgerDatabase, Statements, Value } from '../postgres/database';
import { firstTimelyDay } from './business-days';
import { conditionsOf, lateCondition, SORTED_BY, type PaymentFilter, type SearchedIn } from './filter';
import { sessionOf, SUMMARY_COLUMNS, type SummaryRow } from './stored-summary';
import type { Direction, LedgerSession } from './summary';

/** The order of a list of payments. */
export interface PaymentOrder {
  /** Payments that have not ended, or have no amount, count as the earliest or the smallest. */
  readonly by: keyof typeof SORTED_BY;
  readonly direction: 'asc' | 'desc';
}

/** The last payment of a page, after which the next page begins. */
export interface PaymentPlace {
  /** The value that the list is sorted by, as PostgreSQL writes it, with all its digits. */
  readonly at: string;
  readonly key: string;
  readonly claim: number;
}

/** Options of a page of payments. */
export interface PaymentPageOptions {
  /** The maximum number of payments on a page. */
  readonly size: number;
  /** The order. @default the newest first */
  readonly order?: PaymentOrder | undefined;
  /** The `next` of the page before. @default the first page */
  readonly after?: PaymentPlace | undefined;
}

/** A page of payments. */
export interface PaymentPage {
  /** The payments, in the order of the list. */
  readonly payments: readonly LedgerSession[];
  /** The `after` of the next page; absent on the last page. */
  readonly next?: PaymentPlace;
}

/** The count and the sums of all payments that match. Money in and money out are never added up. */
export interface PaymentTotals {
  /** The number of all payments that match. */
  readonly count: number;
  /** The sums by direction and currency, of payments whose amount is known; money in first. */
  readonly sums: readonly PaymentSum[];
}

/** The payments of one direction and currency whose amount is known. */
export interface PaymentSum {
  readonly direction: Direction;
  readonly currency: string;
  readonly count: number;
  /** The exact sum in dollars, as a decimal text. */
  readonly amount: string;
  /** The payments among them whose money came back, and their sum. */
  readonly returned: { readonly count: number; readonly amount: string };
}

const NEWEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'desc' };
/** EFT money arrives within three business days, and the file that reports it a day later. One more day allows for a delay. */
const LATE_AFTER_DAYS = 5;
/** The maximum number of matches that PostgreSQL sorts at once, without the index of the list's order. */
const FEW = 5_000;
/** The time limit for sums: millions of payments need more than the usual limit of a statement. */
const ADDED_WITHIN_MS = 60_000;
/** The maximum number of payments that one step reads, whatever the ledger's size. */
const STEP = 500;
/** True if PostgreSQL can search for the filter's texts. It refuses a NUL character, which no stored text has. */
const isAskable = ({ metadata = {}, ...filter }: PaymentFilter): boolean =>
  [...Object.values<unknown>(filter), ...Object.values(metadata)].every(
    (value) => typeof value !== 'string' || !value.includes('\0'),
  );

/** The options of {@link LedgerPayments}. */
interface LedgerPaymentsOptions {
  readonly environment: string;
  /** @default 'UTC' */
  readonly timeZone?: string | undefined;
  readonly lateAfterDays?: number | undefined;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Finds, sums and counts payments from the summaries of sessions, which have no personal data. Needs no encryption key.
 *
 * All methods throw the errors of {@link LedgerDatabase}.
 */
export class LedgerPayments {
  readonly #database: LedgerDatabase;
  readonly #source: SearchedIn;
  /** The number of business days after a payment within which its money should arrive. */
  readonly lateAfterDays: number;
  /** The time zone of the days of late money. */
  readonly timeZone: string;

  constructor(
    database: LedgerDatabase,
    { environment, timeZone = 'UTC', lateAfterDays = LATE_AFTER_DAYS, now }: LedgerPaymentsOptions,
  ) {
    // PostgreSQL takes an offset such as +05:00 for its opposite.
    if (!isTimeZone(timeZone)) throw new SettingsError([{ path: 'timeZone', message: TIME_ZONE_RULE }]);
    const issue = lateAfterDaysRule.safeParse(String(lateAfterDays)).error?.issues[0];
    if (issue !== undefined) throw new SettingsError([{ path: 'lateAfterDays', message: issue.message }]);
    this.#database = database;
    this.lateAfterDays = lateAfterDays;
    this.timeZone = timeZone;
    const days = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
    this.#source = {
      environment,
      timeZone,
      firstTimelyDay: () => firstTimelyDay(days.format(now()), lateAfterDays),
    };
  }

  /**
   * Returns a page of the payments that match, the newest first by default.
   *
   * @example
   * ```ts
   * const { payments, next } = await ledger.payments.page({ paid: true }, { size: 50 });
   * const more = next && (await ledger.payments.page({ paid: true }, { size: 50, after: next }));
   * ```
   */
  async page(filter: PaymentFilter, options: PaymentPageOptions): Promise<PaymentPage> {
    if (!isAskable(filter)) return { payments: [] };
    return pageOf(this.#database, this.#source, {
      filter,
      ...options,
      areFew: await this.#areFew(filter),
    });
  }

  /**
   * True if few payments match, so that it is fastest to find all of them with the filter's own index and to sort them. PostgreSQL would guess,
   * and could scan all sessions in the list's order for a few rare matches.
   */
  async #areFew(filter: PaymentFilter): Promise<boolean> {
    const { sql, values } = conditionsOf(this.#source, filter);
    // A filter without values, such as an empty one, uses the list's order.
    if (values.length === 1) return false;
    const [row] = await this.#database.query<{ count: number }>(
      `select count(*)::int as count from (select 1 from paysession_ledger.claims where ${sql} limit ${FEW + 1}) s`,
      values,
    );
    return (row?.count ?? 0) <= FEW;
  }

  /**
   * Yields all payments that match, in the given order, as they are at one moment. Reads them in small steps.
   *
   * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` also if the caller pauses for five minutes
   *
   * @example
   * ```ts
   * for await (const { key, amount } of ledger.payments.all({ money: 'returned', waiting: true })) console.log(key, amount);
   * ```
   */
  async *all(filter: PaymentFilter, order: PaymentOrder = NEWEST_FIRST): AsyncGenerator<LedgerSession> {
    if (!isAskable(filter)) return;
    // Counted once for all steps.
    const areFew = await this.#areFew(filter);
    const reading = await this.#database.openSnapshot();
    try {
      let after: PaymentPlace | undefined;
      do {
        const page = await pageOf(reading, this.#source, { filter, size: STEP, order, after, areFew });
        yield* page.payments;
        after = page.next;
      } while (after !== undefined);
    } finally {
      await reading.end();
    }
  }

  /**
   * Counts the payments that match, and adds up their amounts by direction and currency.
   *
   * @example
   * ```ts
   * const { count, sums } = await ledger.payments.totals({ claimedFrom: new Date('2031-05-01') });
   * for (const { direction, currency, amount } of sums) console.log(direction, amount, currency);
   * ```
   */
  async totals(filter: PaymentFilter): Promise<PaymentTotals> {
    if (!isAskable(filter)) return { count: 0, sums: [] };
    const { sql, values } = conditionsOf(this.#source, filter);
    const rows = await this.#database.transaction(async (statements) => {
      await statements.query(`set local statement_timeout = ${ADDED_WITHIN_MS}`);
      // Only one processor computes sums. The others stay free for lists, which an operator waits for.
      await statements.query('set local max_parallel_workers_per_gather = 0');
      return statements.query<SumRow>(
        `select direction, currency, coalesce(sum(amount), 0)::text as amount, count(amount)::int as count,
            json_build_object(
              'count', count(*) filter (where money = 'returned'),
              'amount', coalesce(sum(amount) filter (where money = 'returned'), 0)::text
            ) as returned, count(*)::int as all
          from paysession_ledger.claims where ${sql} group by direction, currency order by direction desc, currency`,
        values,
      );
    });
    return {
      count: rows.reduce((sum, { all }) => sum + all, 0),
      sums: rows.map(({ all: _all, ...sum }) => sum).filter(({ count }) => count > 0),
    };
  }

  /** Returns the claim that answers for each of these keys, by key. */
  async among(keys: readonly string[]): Promise<ReadonlyMap<string, LedgerSession>> {
    const standing = await this.#claimsOf(keys, 'stands');
    return new Map(standing.map((session) => [session.key, session]));
  }

  /**
   * Returns all payments of these keys, as lists show them. A key has several if a workflow that does not have the key has a session, too.
   */
  async claimsAmong(keys: readonly string[]): Promise<readonly LedgerSession[]> {
    return this.#claimsOf(keys, 'listed');
  }

  async #claimsOf(keys: readonly string[], which: 'stands' | 'listed'): Promise<readonly LedgerSession[]> {
    const asked = keys.filter((key) => !key.includes('\0'));
    if (asked.length === 0) return [];
    const rows = await this.#database.query<SummaryRow>(
      `select ${SUMMARY_COLUMNS} from paysession_ledger.claims s
        where environment = $1 and ${which} and key = any (select jsonb_array_elements_text($2::jsonb))
        order by key, claim`,
      [this.#source.environment, JSON.stringify(asked)],
    );
    return rows.map(sessionOf);
  }

  /**
   * Returns the sums that are expected and those that have arrived, for each day on which payments ended paid. A day without payments is
   * absent. The newest day is first.
   *
   * @param options the first day and the last, in the ledger's time zone
   */
  async arrivals({ from, to }: Pick<DaysOptions, 'from' | 'to'>): Promise<readonly ArrivalDay[]> {
    const { environment, timeZone, firstTimelyDay: timely } = this.#source;
    return this.#database.query<ArrivalDay>(ARRIVALS, [environment, from, to, timeZone, timely()]);
  }

  /** Counts and sums payments by day, account, kind, direction and currency. A day without payments is absent. */
  async days({ from, to, timeZone }: DaysOptions): Promise<readonly DayFigure[]> {
    return this.#database.query<DayFigure>(DAYS, [this.#source.environment, from, to, timeZone]);
  }
}

/** A sum, and the number of all payments of its direction and currency. */
type SumRow = PaymentSum & { readonly all: number };

/** A page of a list. */
interface PageOf extends PaymentPageOptions {
  readonly filter: PaymentFilter;
  readonly areFew: boolean;
}

async function pageOf(
  statements: Statements,
  source: SearchedIn,
  { filter, size, order = NEWEST_FIRST, after, areFew }: PageOf,
): Promise<PaymentPage> {
  const { sql, values } = conditionsOf(source, filter);
  const sorted = SORTED_BY[order.by];
  const { direction } = order;
  const name = (value: Value) => `$${values.push(value)}`;
  const type = order.by === 'amount' ? 'numeric' : 'timestamptz';
  const isBehind = direction === 'asc' ? '>' : '<';
  const behind =
    after === undefined
      ? ''
      : `where (${sorted}, key, claim) ${isBehind} (${name(after.at)}::${type}, ${name(after.key)}, ${name(after.claim)}::integer)`;
  const rows = await statements.query<SummaryRow & { readonly place: string }>(
    `with s as ${areFew ? '' : 'not '}materialized (select * from paysession_ledger.claims where ${sql})
      select ${SUMMARY_COLUMNS}, (${sorted})::text as place from s ${behind}
      order by ${sorted} ${direction}, key ${direction}, claim ${direction} limit ${name(size + 1)}::int`,
    values,
  );
  const last = rows.length > size ? rows[size - 1] : undefined;
  return {
    payments: rows.slice(0, size).map(sessionOf),
    ...(last !== undefined && { next: { at: last.place, key: last.key, claim: Number(last.claim) } }),
  };
}

/** The payments of one direction and currency that ended paid on one day. Sums are dollars, as decimal texts. */
export interface ArrivalDay {
  /** In the ledger's time zone. */
  readonly day: string;
  /** `DEBIT`: money from payors. `CREDIT`: money to them. */
  readonly direction: Direction;
  /** Three letters, such as `CAD`. */
  readonly currency: string;
  /** The payments that ended paid on this day. */
  readonly payments: number;
  /** The sum of all of them, which is the total of the three sums below. */
  readonly expected: string;
  /** Money that has arrived. */
  readonly arrived: string;
  /** Money that came back. */
  readonly returned: string;
  /** Money that has neither arrived nor come back. */
  readonly outstanding: string;
  /** The number of payments whose money is outstanding. */
  readonly outstandingPayments: number;
  /** The number of payments whose money is late. */
  readonly latePayments: number;
}

const sumWhere = (money: string): string =>
  `coalesce(sum(amount) filter (where money ${money}), 0)::numeric(24, 2)::text`;

const ENDED = SORTED_BY.ended;

const ARRIVALS = `select to_char(${ENDED} at time zone $4, 'YYYY-MM-DD') as day, direction, currency, count(*)::int as payments,
    ${sumWhere("in ('paid', 'settled', 'returned')")} as expected, ${sumWhere("= 'settled'")} as arrived,
    ${sumWhere("= 'returned'")} as returned, ${sumWhere("= 'paid'")} as outstanding,
    count(*) filter (where money = 'paid')::int as "outstandingPayments",
    count(*) filter (where ${lateCondition('$5', '$4')})::int as "latePayments"
  from paysession_ledger.claims
  where environment = $1 and listed and ended_at is not null and money in ('paid', 'settled', 'returned')
    and ${ENDED} >= ($2::date::timestamp at time zone $4) and ${ENDED} < (($3::date + 1)::timestamp at time zone $4)
  group by 1, 2, 3 order by 1 desc, 2 desc, 3`;

/** The figures of a day: the sessions that were opened, paid, settled and returned on it. */
export const FIGURES = ['opened', 'paid', 'settled', 'returned'] as const;
export type Figure = (typeof FIGURES)[number];

/** The sessions of one kind, direction, currency and account to which one thing happened on one day. */
export interface DayFigure {
  readonly figure: Figure;
  /** The day in the given time zone. For settled and returned money, the day in the payment service's file. */
  readonly day: string;
  readonly account: string;
  readonly kind: string;
  readonly direction: Direction;
  readonly currency: string;
  readonly count: number;
  /** The number of these sessions that are currently paid. */
  readonly paid: number;
  /** Dollars of those whose amount is known, as a decimal text. */
  readonly amount: string;
}

/** Options of `LedgerPayments.days`. */
export interface DaysOptions {
  /** The first day and the last, such as `2026-03-01`. */
  readonly from: string;
  readonly to: string;
  /** The time zone of the days: a name of the IANA time zone database. */
  readonly timeZone: string;
}

/**
 * The condition and the time of each figure. A session with a session id counts as opened when its key was claimed, and a paid one as paid
 * when it ended. A file's day is not a moment, so no time zone moves it.
 */
const SOURCES: Readonly<
  Record<Figure, { readonly at: string; readonly where: string; readonly isDay?: true }>
> = {
  opened: { at: 'claimed_at', where: 'session_id is not null' },
  paid: { at: ENDED, where: 'paid and ended_at is not null' },
  settled: { at: 'settled_at', where: 'settled_at is not null', isDay: true },
  returned: { at: 'returned_at', where: 'returned_at is not null', isDay: true },
};

const DAYS = FIGURES.map((figure) => {
  const { at, where, isDay } = SOURCES[figure];
  const zone = isDay ? "'UTC'" : '$4';
  return `select '${figure}' as figure, to_char(${at} at time zone ${zone}, 'YYYY-MM-DD') as day, account, kind, direction, currency,
      count(*)::int as count, count(*) filter (where paid)::int as paid, coalesce(sum(amount), 0)::text as amount
    from paysession_ledger.claims
    where environment = $1 and listed and ${where} and ${at} >= ($2::date::timestamp at time zone ${zone})
      and ${at} < (($3::date + 1)::timestamp at time zone ${zone})
    group by 1, 2, 3, 4, 5, 6`;
}).join(' union all ');
