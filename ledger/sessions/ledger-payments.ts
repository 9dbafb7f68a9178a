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
  /**
   * The value by which the list is sorted. A payment that has not ended counts as the earliest, and a payment without an amount as the smallest.
   */
  readonly by: keyof typeof SORTED_BY;
  readonly direction: 'asc' | 'desc';
}

/** The last payment of a page. The next page begins after this payment. */
export interface PaymentPlace {
  /** The value by which the list is sorted, as PostgreSQL writes it. */
  readonly at: string;
  readonly key: string;
  readonly claim: number;
}

/** Options of a page of payments. */
export interface PaymentPageOptions {
  /** The maximum number of payments on a page. */
  readonly size: number;
  /** The order of the list. @default the newest payments first */
  readonly order?: PaymentOrder | undefined;
  /** The member `next` of the previous page. @default returns the first page */
  readonly after?: PaymentPlace | undefined;
}

/** A page of payments. */
export interface PaymentPage {
  /** The payments, in the order of the list. */
  readonly payments: readonly LedgerSession[];
  /** The option `after` for the next page. Absent on the last page. */
  readonly next?: PaymentPlace;
}

/** The number and the sums of all payments that match. Money from payors and money to payors have separate sums. */
export interface PaymentTotals {
  /** The number of all payments that match. */
  readonly count: number;
  /** The sums by direction and currency, `DEBIT` first. Payments whose amount is unknown are left out. */
  readonly sums: readonly PaymentSum[];
}

/** The number and the sum of the payments with one direction and currency. Payments whose amount is unknown are left out. */
export interface PaymentSum {
  readonly direction: Direction;
  readonly currency: string;
  readonly count: number;
  /** The exact sum in dollars, as a decimal text. */
  readonly amount: string;
  /** The number and the sum of those payments whose money came back. */
  readonly returned: { readonly count: number; readonly amount: string };
}

const NEWEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'desc' };
/**
 * The default number of business days after which money is late. The money of an EFT arrives within three business days, and the file that
 * reports it arrives a day later. One more day allows for a delay.
 */
const LATE_AFTER_DAYS = 5;
/** The maximum number of matches that PostgreSQL finds first and then sorts, without the index for the list's order. */
const FEW = 5_000;
/** The time limit for sums. It is longer than that of other statements, because there may be millions of payments. */
const ADDED_WITHIN_MS = 60_000;
/** The maximum number of payments that one step reads. */
const STEP = 500;
/** True if PostgreSQL can search for the filter's texts. It refuses a NUL character, which no stored text has. */
const isAskable = ({ metadata = {}, ...filter }: PaymentFilter): boolean =>
  [...Object.values<unknown>(filter), ...Object.values(metadata)].every(
    (value) => typeof value !== 'string' || !value.includes('\0'),
  );

/** The options of {@link LedgerPayments}. */
interface LedgerPaymentsOptions {
  readonly environment: string;
  /** The time zone in which business days are counted. @default 'UTC' */
  readonly timeZone?: string | undefined;
  /** The number of business days after which money is late. @default 5 */
  readonly lateAfterDays?: number | undefined;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Finds, counts and sums payments. Reads only summaries, which contain no personal data. So no encryption key is needed.
 *
 * All methods throw the errors of {@link LedgerDatabase}.
 */
export class LedgerPayments {
  readonly #database: LedgerDatabase;
  readonly #source: SearchedIn;
  /** The number of business days after a payment within which its money should arrive. */
  readonly lateAfterDays: number;
  /** The time zone in which business days are counted. */
  readonly timeZone: string;

  constructor(
    database: LedgerDatabase,
    { environment, timeZone = 'UTC', lateAfterDays = LATE_AFTER_DAYS, now }: LedgerPaymentsOptions,
  ) {
    // Offsets are refused, because PostgreSQL gives an offset such as +05:00 the opposite meaning.
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
   * Returns a page of the payments that match. By default, the newest payments come first.
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
   * True if few payments match. Then it is fastest to find all of them with an index for the filter, and to sort them. PostgreSQL could only guess
   * this number. It might read all sessions in the list's order to find a few matches.
   */
  async #areFew(filter: PaymentFilter): Promise<boolean> {
    const { sql, values } = conditionsOf(this.#source, filter);
    // The only value is the environment, so the filter has no condition with a value. The list's own order is faster then.
    if (values.length === 1) return false;
    const [row] = await this.#database.query<{ count: number }>(
      `select count(*)::int as count from (select 1 from paysession_ledger.claims where ${sql} limit ${FEW + 1}) s`,
      values,
    );
    return (row?.count ?? 0) <= FEW;
  }

  /**
   * Yields all payments that match, in the given order. All are as they were when the first one was read, even if they change meanwhile.
   *
   * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` if the server does not answer, or if the caller pauses for five minutes
   *
   * @example
   * ```ts
   * for await (const { key, amount } of ledger.payments.all({ money: 'returned', waiting: true })) console.log(key, amount);
   * ```
   */
  async *all(filter: PaymentFilter, order: PaymentOrder = NEWEST_FIRST): AsyncGenerator<LedgerSession> {
    if (!isAskable(filter)) return;
    // Counted once, and used for all steps.
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
      // PostgreSQL uses only one processor for the sums. The others stay free for lists, for which operators wait.
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

  /** Returns, for each of these keys, the payment of the claim that currently has the key. */
  async among(keys: readonly string[]): Promise<ReadonlyMap<string, LedgerSession>> {
    const standing = await this.#claimsOf(keys, 'stands');
    return new Map(standing.map((session) => [session.key, session]));
  }

  /**
   * Returns all payments of these keys. A key usually has one. It has several if another workflow has also opened a session under the key.
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
   * Returns, for each day, the sum of the payments that ended paid on that day, and how much of it has arrived. The newest day comes first. Days
   * without payments are left out.
   *
   * @param options the first and the last day, in the ledger's time zone
   */
  async arrivals({ from, to }: Pick<DaysOptions, 'from' | 'to'>): Promise<readonly ArrivalDay[]> {
    const { environment, timeZone, firstTimelyDay: timely } = this.#source;
    return this.#database.query<ArrivalDay>(ARRIVALS, [environment, from, to, timeZone, timely()]);
  }

  /** Counts and sums payments by day, account, kind, direction and currency. Days without payments are left out. */
  async days({ from, to, timeZone }: DaysOptions): Promise<readonly DayFigure[]> {
    return this.#database.query<DayFigure>(DAYS, [this.#source.environment, from, to, timeZone]);
  }
}

/** A sum, and the number of all payments of its direction and currency. */
type SumRow = PaymentSum & { readonly all: number };

/** The page to read. */
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

/** The payments with one direction and currency that ended paid on one day. Sums are in dollars, as decimal texts. */
export interface ArrivalDay {
  /** The day in the ledger's time zone, such as `2026-05-06`. */
  readonly day: string;
  /** `DEBIT`: money from payors. `CREDIT`: money to payors. */
  readonly direction: Direction;
  /** The currency in three letters, such as `CAD`. */
  readonly currency: string;
  /** The number of payments that ended paid on this day. */
  readonly payments: number;
  /** The sum of these payments. It equals `arrived`, `returned` and `outstanding` together. */
  readonly expected: string;
  /** The sum of the payments whose money has arrived. */
  readonly arrived: string;
  /** The sum of the payments whose money came back. */
  readonly returned: string;
  /** The sum of all other payments. Their money is still on its way, or late. */
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

/** The events that are counted for a day: sessions opened, sessions paid, money settled (arrived), and money returned. */
export const FIGURES = ['opened', 'paid', 'settled', 'returned'] as const;
export type Figure = (typeof FIGURES)[number];

/** The number and the sum of the sessions to which one event happened on one day, for one kind, direction, currency and account. */
export interface DayFigure {
  readonly figure: Figure;
  /** The day in the given time zone. For `settled` and `returned`, the day in the payment service's file. */
  readonly day: string;
  readonly account: string;
  readonly kind: string;
  readonly direction: Direction;
  readonly currency: string;
  readonly count: number;
  /** The number of these sessions that are currently paid. */
  readonly paid: number;
  /** The sum in dollars, as a decimal text. Sessions whose amount is unknown are left out. */
  readonly amount: string;
}

/** Options of `LedgerPayments.days`. */
export interface DaysOptions {
  /** The first and the last day, such as `2026-03-01`. */
  readonly from: string;
  readonly to: string;
  /** The time zone of the days: a name of the IANA time zone database. */
  readonly timeZone: string;
}

/**
 * The SQL condition and the time of each event. A session that exists at the payment service counts as opened when its key was claimed. A paid
 * session counts as paid when it ended. Reconciliation files have days and not times, so a time zone does not change these days.
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
