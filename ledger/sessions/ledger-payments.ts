import type { LedgerDatabase, Statements, Value } from '../postgres/database';
import { conditionsOf, SORTED_BY, type PaymentFilter } from './filter';
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
  /** The most payments of a page. */
  readonly size: number;
  readonly order?: PaymentOrder | undefined;
  readonly after?: PaymentPlace | undefined;
}

/** A page of payments. */
export interface PaymentPage {
  readonly payments: readonly LedgerSession[];
  /** The `after` of the next page; absent on the last page. */
  readonly next?: PaymentPlace;
}

/** The count and the sums of all payments that match. Money in and money out are never added up. */
export interface PaymentTotals {
  readonly count: number;
  /** The sums by direction and currency, of payments whose amount is known; money in first. */
  readonly sums: readonly PaymentSum[];
}

/** The payments of one direction and currency whose amount is known. */
export interface PaymentSum {
  readonly direction: Direction;
  readonly currency: string;
  readonly count: number;
  /** Dollars, exact to the cent, as a decimal text. */
  readonly amount: string;
}

const NEWEST_FIRST: PaymentOrder = { by: 'claimed', direction: 'desc' };
/** The number of payments that PostgreSQL sorts at once without an index. */
const FEW = 5_000;
/** The time limit for sums: millions of payments need more than the usual limit of a statement. */
const ADDED_WITHIN_MS = 60_000;
/** The number of payments that one step reads, whatever the ledger's size. */
const STEP = 500;
/** True if PostgreSQL can search for the filter's texts. It refuses a NUL character, which no stored text has. */
const isAskable = ({ metadata = {}, ...filter }: PaymentFilter): boolean =>
  [...Object.values<unknown>(filter), ...Object.values(metadata)].every(
    (value) => typeof value !== 'string' || !value.includes('\0'),
  );

/**
 * Finds, sums and counts payments from the summaries of sessions, which have no personal data. Needs no encryption key.
 *
 * All methods throw `PaysessionError`: `LEDGER_UNAVAILABLE` if the server does not answer, `LEDGER_REFUSED` if it refuses a statement.
 */
export class LedgerPayments {
  readonly #database: LedgerDatabase;
  readonly #environment: string;

  constructor(database: LedgerDatabase, environment: string) {
    this.#database = database;
    this.#environment = environment;
  }

  /** Returns a page of the payments that match, the newest first by default. */
  async page(filter: PaymentFilter, options: PaymentPageOptions): Promise<PaymentPage> {
    if (!isAskable(filter)) return { payments: [] };
    return pageOf(this.#database, this.#environment, {
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
    const { sql, values } = conditionsOf(this.#environment, filter);
    // An empty filter has no index of its own.
    if (values.length === 1) return false;
    const [row] = await this.#database.query<{ count: number }>(
      `select count(*)::int as count from (select 1 from paysession_ledger.claims where ${sql} limit ${FEW + 1}) s`,
      values,
    );
    return (row?.count ?? 0) <= FEW;
  }

  /** Yields all payments that match, in this order, as they are at one moment. Reads them in small steps. */
  async *all(filter: PaymentFilter, order: PaymentOrder = NEWEST_FIRST): AsyncGenerator<LedgerSession> {
    if (!isAskable(filter)) return;
    // Counted once for all steps.
    const areFew = await this.#areFew(filter);
    const reading = await this.#database.openSnapshot();
    try {
      let after: PaymentPlace | undefined;
      do {
        const page = await pageOf(reading, this.#environment, { filter, size: STEP, order, after, areFew });
        yield* page.payments;
        after = page.next;
      } while (after !== undefined);
    } finally {
      await reading.end();
    }
  }

  /** Counts the payments that match, and adds up their amounts by direction. */
  async totals(filter: PaymentFilter): Promise<PaymentTotals> {
    if (!isAskable(filter)) return { count: 0, sums: [] };
    const { sql, values } = conditionsOf(this.#environment, filter);
    const rows = await this.#database.transaction(async (statements) => {
      await statements.query(`set local statement_timeout = ${ADDED_WITHIN_MS}`);
      // Only one processor computes sums. The others stay free for lists, which an operator waits for.
      await statements.query('set local max_parallel_workers_per_gather = 0');
      return statements.query<Omit<PaymentSum, 'count'> & { all: string; count: string }>(
        `select direction, currency, count(*) as all, count(amount) as count, coalesce(sum(amount), 0)::text as amount
          from paysession_ledger.claims where ${sql} group by direction, currency order by direction desc, currency`,
        values,
      );
    });
    return {
      count: rows.reduce((sum, { all }) => sum + Number(all), 0),
      sums: rows
        .map(({ all: _all, count, ...sum }) => ({ ...sum, count: Number(count) }))
        .filter(({ count }) => count > 0),
    };
  }

  /** Returns the claim that answers for each of these keys, by key. */
  async among(keys: readonly string[]): Promise<ReadonlyMap<string, LedgerSession>> {
    const standing = await this.#claimsOf(keys, 'stands');
    return new Map(standing.map((session) => [session.key, session]));
  }

  /** Returns all payments of these keys, as lists show them. A key has several if more than one of its workflows has had a session. */
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
      [this.#environment, JSON.stringify(asked)],
    );
    return rows.map(sessionOf);
  }

  /** Counts and sums payments by day, account, kind and direction, for some weeks. */
  async days(options: DaysOptions): Promise<readonly DayFigure[]> {
    return daysOf(this.#database, this.#environment, options);
  }
}

/** A page of a list. */
interface PageOf extends PaymentPageOptions {
  readonly filter: PaymentFilter;
  readonly areFew: boolean;
}

async function pageOf(
  statements: Statements,
  environment: string,
  { filter, size, order = NEWEST_FIRST, after, areFew }: PageOf,
): Promise<PaymentPage> {
  const { sql, values } = conditionsOf(environment, filter);
  const sorted = SORTED_BY[order.by];
  const { direction } = order;
  const name = (value: Value) => `$${values.push(value)}`;
  const type = order.by === 'amount' ? 'numeric' : 'timestamptz';
  const isBehind = direction === 'asc' ? '>' : '<';
  const behind =
    after === undefined
      ? ''
      : ` and (${sorted}, key, claim) ${isBehind} (${name(after.at)}::${type}, ${name(after.key)}, ${name(after.claim)}::integer)`;
  const all = `select * from paysession_ledger.claims where ${sql}`;
  const found = areFew ? `with s as materialized (${all}) ` : '';
  const from = found === '' ? `paysession_ledger.claims s where ${sql}` : 's where true';
  const rows = await statements.query<SummaryRow & { readonly place: string }>(
    `${found}select ${SUMMARY_COLUMNS}, (${sorted})::text as place from ${from}${behind}
      order by ${sorted} ${direction}, key ${direction}, claim ${direction} limit ${name(size + 1)}::int`,
    values,
  );
  const last = rows.length > size ? rows[size - 1] : undefined;
  return {
    payments: rows.slice(0, size).map(sessionOf),
    ...(last !== undefined && { next: { at: last.place, key: last.key, claim: Number(last.claim) } }),
  };
}

/** The figures of a day: the sessions that were opened, paid, settled and returned on it. */
export const FIGURES = ['opened', 'paid', 'settled', 'returned'] as const;
export type Figure = (typeof FIGURES)[number];

/** The sessions of one kind, direction and account to which one thing happened on one day. */
export interface DayFigure {
  readonly figure: Figure;
  /** The day in the merchant's time zone. For settled and returned money, the day in the payment service's file. */
  readonly day: string;
  readonly account: string;
  readonly kind: string;
  readonly direction: Direction;
  readonly currency: string;
  readonly count: number;
  /** The number of them that are currently paid. */
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

/** The condition and the time of each figure. A session is paid when it ends paid. A file's day is not a moment, so no time zone moves it. */
const SOURCES: Readonly<
  Record<Figure, { readonly at: string; readonly where: string; readonly isDay?: true }>
> = {
  opened: { at: 'claimed_at', where: 'session_id is not null' },
  paid: { at: "coalesce(ended_at, timestamptz '-infinity')", where: 'paid and ended_at is not null' },
  settled: { at: 'settled_at', where: 'settled_at is not null', isDay: true },
  returned: { at: 'returned_at', where: 'returned_at is not null', isDay: true },
};

/** Counts and sums payments by day, account, kind and direction. A day without payments is absent. */
async function daysOf(
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
