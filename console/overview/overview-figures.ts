import {
  soon,
  type PaymentSessions,
  type SessionFilter,
  type UnreadMoney,
  type SessionSummary,
} from '../../src/sessions';
import { isPaysessionError } from '../../src/errors';
import { isLookedFor } from '../../src/protocol/temporal/query-text';
import type { LedgerSession } from '../../ledger';
import type { ConsoleLedger } from '../options';
import { COUNTS, type Reading } from '../reading/reading';
import { type Seen, StaleWhileRevalidate } from '../reading/stale-while-revalidate';
import { endsToday, startOfToday, type EndsToday } from './ends-today';
import { moneyDays, type MoneyDays } from './money-days';

/** The contents of the overview. While a figure is still being counted, it is `undefined`. A figure from the ledger is then `counting`. */
export type Overviewed = Awaited<ReturnType<Overview['read']>>;

/** The newest payments whose returns wait for an operator, and the number of all of them. */
export interface ReturnsWaiting {
  readonly payments: readonly LedgerSession[];
  readonly count: number;
}

/** Late money (paid, but in no reconciliation file yet), and lines of reconciliation files that no payment matches. */
export interface OpenMoney {
  /** The number of payments whose money is late. */
  readonly late: number;
  /** The number of unmatched lines that wait for an operator. */
  readonly lines: number;
}

const PARKED: SessionFilter = { phase: 'parked' };
/** The maximum number of parked sessions, and of payments with waiting returns, that the page lists. */
const PARKED_SHOWN = 10;

/** The time that the page waits for a figure. If the figure takes longer, a later read of the page shows it. */
const WITHIN_MS = 100;
/** The longer wait for figures that need an operator's attention. If such a figure were missing, all would seem well. */
const NEEDED_WITHIN_MS = 1_000;
const SAMPLE = { freshMs: 60_000, usableMs: 600_000 };
const HAS_WORKER = { freshMs: 1_000, usableMs: 30_000 };
const ACCOUNTS = { freshMs: 2_000, usableMs: 60_000 };
const RETURNS = { freshMs: 2_000, usableMs: 60_000 };
const MONEY = { freshMs: 10_000, usableMs: 300_000 };

/** The parts of the ledger that the overview reads. */
type OverviewLedger = Pick<ConsoleLedger, 'payments' | 'unmatched'>;

export interface OverviewOptions {
  readonly sessions: PaymentSessions;
  /** @default no ledger */
  readonly ledger?: OverviewLedger | undefined;
  /** The merchant's time zone. */
  readonly timeZone: string;
}

/** Reads the overview's contents. All readers share each read. */
export class Overview {
  readonly #samples = new StaleWhileRevalidate<LastCompleted>(SAMPLE);
  readonly #ages = new StaleWhileRevalidate<readonly number[]>(COUNTS);
  readonly #ends = new StaleWhileRevalidate<EndsToday>(COUNTS);
  readonly #hasWorker = new StaleWhileRevalidate<boolean>(HAS_WORKER);
  readonly #accounts = new StaleWhileRevalidate<TroubledAccounts>(ACCOUNTS);
  readonly #returns = new StaleWhileRevalidate<ReturnsWaiting>(RETURNS);
  readonly #open = new StaleWhileRevalidate<OpenMoney>(RETURNS);
  readonly #money = new StaleWhileRevalidate<MoneyDays>(MONEY);
  readonly #reading: Reading;
  readonly #options: OverviewOptions;

  constructor(reading: Reading, options: OverviewOptions) {
    this.#reading = reading;
    this.#options = options;
  }

  /** Reads all figures. Throws `PaysessionError` `TEMPORAL_UNAVAILABLE`, `TEMPORAL_BUSY` or `TEMPORAL_REFUSED`. */
  async read() {
    const reading = this.#reading;
    const { sessions, timeZone } = this.#options;
    const figures = await allOf({
      parked: reading.page(PARKED, { size: PARKED_SHOWN }),
      workers: reading.workers(),
      // True if a worker answers; `undefined` until the check ends.
      hasWorker: cachedOrRead(this.#hasWorker, () => reading.hasWorker()),
      parkedCount: inTime(reading.count(PARKED), NEEDED_WITHIN_MS),
      accounts: cachedOrRead(this.#accounts, () => troubledAccounts(reading), NEEDED_WITHIN_MS),
      problems: inTime(reading.countsOf('problem'), NEEDED_WITHIN_MS),
      ages: cachedOrRead(this.#ages, () => openByAge(reading)),
      ends: cachedOrRead(this.#ends, () => endsToday(reading, startOfToday(timeZone))),
      completed: cachedOrRead(this.#samples, () => lastCompleted(reading, sessions)),
      // `undefined` without a ledger.
      money: this.#ofLedger(this.#money, ({ payments }) => moneyDays(payments, timeZone)),
      returns: this.#ofLedger(this.#returns, returnsWaiting, NEEDED_WITHIN_MS),
      open: this.#ofLedger(this.#open, openMoney, NEEDED_WITHIN_MS),
    });
    // The payments in the ledger that belong to the parked sessions; `undefined` without a ledger.
    const payments = await reading.paymentsOf(figures.parked.sessions);
    return { ...figures, payments };
  }

  /**
   * Reads a figure of the ledger. If the read fails, returns the reason, so that the rest of the page is still shown. Returns `counting` if
   * the ledger does not answer in time, and `undefined` if there is no ledger.
   */
  async #ofLedger<T>(
    remembered: StaleWhileRevalidate<T>,
    read: (ledger: OverviewLedger) => Promise<T>,
    withinMs?: number,
  ): Promise<T | UnreadMoney | 'counting' | undefined> {
    const { ledger } = this.#options;
    if (ledger === undefined) return undefined;
    return cachedOrRead(remembered, () => read(ledger), withinMs).then(
      (figure) => figure ?? 'counting',
      (error: unknown) => ({ unread: isPaysessionError(error) ? error.code : 'LEDGER_UNAVAILABLE' }),
    );
  }
}

/** Waits for all promises. Returns their values under the names of the promises. */
async function allOf<T extends Readonly<Record<string, unknown>>>(
  promises: T,
): Promise<{ readonly [Name in keyof T]: Awaited<T[Name]> }> {
  const values = Object.entries(promises).map(async ([name, promise]) => [name, await promise] as const);
  return Object.fromEntries(await Promise.all(values)) as { [Name in keyof T]: Awaited<T[Name]> };
}

async function returnsWaiting({ payments }: OverviewLedger): Promise<ReturnsWaiting> {
  const filter = { waiting: true } as const;
  const [page, { count }] = await Promise.all([
    payments.page(filter, { size: PARKED_SHOWN }),
    payments.totals(filter),
  ]);
  return { payments: page.payments, count };
}

async function openMoney({ payments, unmatched }: OverviewLedger): Promise<OpenMoney> {
  const [late, lines] = await Promise.all([payments.totals({ late: true }), unmatched.totals()]);
  return { late: late.count, lines: lines.count };
}

/** Returns the cached value, or reads the value. Returns `undefined` if the read takes longer than `withinMs`. */
const cachedOrRead = <T>(remembered: StaleWhileRevalidate<T>, read: () => Promise<T>, withinMs = WITHIN_MS) =>
  inTime(remembered.get('', read), withinMs);

const inTime = async <T>(reading: Promise<Seen<T>>, withinMs: number): Promise<T | undefined> =>
  (await soon(reading, withinMs))?.value;

const HOUR_MS = 3_600_000;

/** The upper limits of the age groups. */
const BOUNDS_MS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS];

/** Counts the open sessions of each age group, the youngest first. The age is the age of the session's current workflow run. */
async function openByAge(reading: Reading): Promise<readonly number[]> {
  const nowMs = Date.now();
  const bounds = BOUNDS_MS.map((ageMs) => new Date(nowMs - ageMs));
  const groups = [undefined, ...bounds].map((before, index) => ({ before, after: bounds[index] }));
  return Promise.all(
    groups.map(({ before, after }) =>
      reading.countNow({
        running: true,
        ...(after && { startedAfter: after }),
        ...(before && { startedBefore: before }),
      }),
    ),
  );
}

/** An account whose sessions' calls keep failing. */
interface TroubledAccount {
  readonly account: string;
  readonly failing: number;
  readonly open: number;
  /** The start of the oldest failing session's current run, among those that were read. */
  readonly oldest: Date;
}

export interface TroubledAccounts {
  readonly accounts: readonly TroubledAccount[];
  /** Present if not all failing sessions were read: the number of those that were. Then further accounts may fail, too. */
  readonly ofNewest?: number;
}

/** The maximum number of failing sessions that are read to find accounts. They are read because Temporal's index cannot list accounts. */
const MOST_FAILING = 200;
const MAX_ACCOUNTS = 20;

const FAILING: SessionFilter = { problem: 'serviceFailing', running: true };

/**
 * Finds accounts that are paused or failing, by reading the newest failing sessions. Accounts with the most failing sessions come first.
 */
export async function troubledAccounts(reading: Reading): Promise<TroubledAccounts> {
  // Newest first.
  const { sessions, next } = await reading.page(FAILING, { size: MOST_FAILING });
  const names = [...new Set(sessions.flatMap(({ account }) => account ?? []))].slice(0, MAX_ACCOUNTS);
  const accounts = await Promise.all(
    names.map(async (account) => {
      const own = sessions.filter((summary) => summary.account === account);
      const oldest = own.at(-1)?.startedAt ?? new Date();
      // Temporal's index cannot search for this account's name. So the counts are those of the sessions that were read.
      if (!isLookedFor(account)) return { account, failing: own.length, open: own.length, oldest };
      const [failing, open] = await Promise.all([
        reading.count({ ...FAILING, account }),
        reading.count({ running: true, account }),
      ]);
      return { account, failing: failing.value, open: open.value, oldest };
    }),
  );
  accounts.sort((a, b) => b.failing - a.failing || (a.account < b.account ? -1 : 1));
  return next === undefined ? { accounts } : { accounts, ofNewest: MOST_FAILING };
}

/** The durations of the last completed sessions, in milliseconds, the shortest first. */
export interface LastCompleted {
  /**
   * The time from a session's start to its first known state. That is usually its creation at the service, and sometimes its adoption by an
   * operator.
   */
  readonly opening: readonly number[];
  /** The longest possible time from the end of a session at the service to its detection by a poll. */
  readonly delays: readonly number[];
}

/** The maximum number of sessions whose delays are read from the index. */
const MOST_COMPLETED = 100;
/** The maximum number of sessions whose opening times are read. Each takes a call that reads the session's result. */
const OPENINGS = 10;

/** Measures the last completed sessions, in the order of their starts. Needs no worker. */
async function lastCompleted(reading: Reading, sessions: PaymentSessions): Promise<LastCompleted> {
  const { sessions: last } = await reading.page(
    { running: false, answered: false, status: 'Completed' },
    { size: MOST_COMPLETED },
  );
  const times = await Promise.all(last.slice(0, OPENINGS).map((summary) => openedAfterMs(sessions, summary)));
  return { opening: ascending(times), delays: ascending(last.map(({ changeDelayMs }) => changeDelayMs)) };
}

async function openedAfterMs(
  sessions: PaymentSessions,
  { key, startedAt }: SessionSummary,
): Promise<number | undefined> {
  try {
    const { stateHistory } = await sessions.get(key).result();
    const [opened] = stateHistory;
    return opened === undefined ? undefined : Date.parse(opened.firstSeenAt) - startedAt.getTime();
  } catch {
    // The result cannot be read, for example because its encryption key is missing. The session is left out of the sample.
    return undefined;
  }
}

const ascending = (times: readonly (number | undefined)[]): readonly number[] =>
  times.filter((ms) => ms !== undefined && ms >= 0).sort((a = 0, b = 0) => a - b) as number[];
