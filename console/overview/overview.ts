import {
  soon,
  type PaymentSessions,
  type SessionFilter,
  type Poller,
  type SessionPage,
  type UnreadMoney,
} from '../../src/sessions';
import { isPaysessionError } from '../../src/errors';
import type { Payments } from '../options';
import type { FacetCounts } from '../reading/facets';
import { COUNTS, type PaymentsOfRuns, type Reading } from '../reading/reading';
import { StaleWhileRevalidate } from '../reading/stale-while-revalidate';
import { troubledAccounts, type TroubledAccounts } from './accounts';
import { endsToday, startOfToday, type EndsToday } from './ends-today';
import { moneyDays, type MoneyDays } from './money-days';
import { lastCompleted, type LastCompleted } from './last-completed';
import { openByAge, type AgeGroup } from './open-ages';

/** What the overview shows. What is absent is still being counted. */
export interface Overviewed {
  readonly parked: SessionPage;
  /** What the ledger tells of those runs; absent without a ledger. */
  readonly payments: PaymentsOfRuns | undefined;
  readonly workers: readonly Poller[];
  /** Whether a worker answers; absent until it was asked. */
  readonly hasWorker: boolean | undefined;
  readonly parkedCount: number | undefined;
  readonly accounts: TroubledAccounts | undefined;
  readonly problems: FacetCounts | undefined;
  readonly ages: readonly AgeGroup[] | undefined;
  readonly ends: EndsToday | undefined;
  readonly completed: LastCompleted | undefined;
  /** What the ledger tells of the last weeks; absent where there is none. */
  readonly money: MoneyDays | UnreadMoney | 'counting' | undefined;
}

const PARKED: SessionFilter = { phase: 'parked' };
/** The most that are listed. */
const PARKED_SHOWN = 10;

/** What takes longer comes with the next look. */
const WITHIN_MS = 100;
/** What needs an operator is worth a wait: a page that opens with it missing looks as if all were well. */
const NEEDED_WITHIN_MS = 1_000;
const SAMPLE = { freshMs: 60_000, usableMs: 600_000 };
const HAS_WORKER = { freshMs: 1_000, usableMs: 30_000 };
const ACCOUNTS = { freshMs: 2_000, usableMs: 60_000 };
const MONEY = { freshMs: 10_000, usableMs: 300_000 };

export interface OverviewOptions {
  readonly sessions: PaymentSessions;
  /** @default there is no ledger */
  readonly payments?: Pick<Payments, 'days'> | undefined;
  /** The merchant's. */
  readonly timeZone: string;
}

/** Reads what the overview shows, once for all who look. */
export class Overview {
  readonly #samples = new StaleWhileRevalidate<LastCompleted>(SAMPLE);
  readonly #ages = new StaleWhileRevalidate<readonly AgeGroup[]>(COUNTS);
  readonly #ends = new StaleWhileRevalidate<EndsToday>(COUNTS);
  readonly #hasWorker = new StaleWhileRevalidate<boolean>(HAS_WORKER);
  readonly #accounts = new StaleWhileRevalidate<TroubledAccounts>(ACCOUNTS);
  readonly #money = new StaleWhileRevalidate<MoneyDays>(MONEY);
  readonly #reading: Reading;
  readonly #options: OverviewOptions;

  constructor(reading: Reading, options: OverviewOptions) {
    this.#reading = reading;
    this.#options = options;
  }

  /** Throws `PaysessionError` `ENGINE_UNAVAILABLE` or `ENGINE_REFUSED`. */
  async read(): Promise<Overviewed> {
    const reading = this.#reading;
    const { sessions, timeZone } = this.#options;
    const [parked, workers, hasWorker, parkedCount, accounts, problems, ages, ends, completed, money] =
      await Promise.all([
        reading.page(PARKED, { size: PARKED_SHOWN }),
        reading.workers(),
        kept(this.#hasWorker, () => reading.hasWorker()),
        soon(reading.count(PARKED), NEEDED_WITHIN_MS),
        kept(this.#accounts, () => troubledAccounts(reading), NEEDED_WITHIN_MS),
        soon(reading.countsOf('problem'), NEEDED_WITHIN_MS),
        kept(this.#ages, () => openByAge(reading)),
        kept(this.#ends, () => endsToday(reading, startOfToday(timeZone))),
        kept(this.#samples, () => lastCompleted(reading, sessions)),
        this.#moneyNow(),
      ]);
    return {
      parked,
      payments: await reading.paymentsOf(parked.sessions),
      workers,
      hasWorker: hasWorker?.value,
      parkedCount: parkedCount?.value,
      accounts: accounts?.value,
      problems: problems?.value,
      ages: ages?.value,
      ends: ends?.value,
      completed: completed?.value,
      money,
    };
  }

  /** A ledger that does not answer takes nothing else from the page. */
  async #moneyNow(): Promise<Overviewed['money']> {
    const { payments, timeZone } = this.#options;
    if (payments === undefined) return undefined;
    const read = kept(this.#money, () => moneyDays(payments, timeZone));
    return read.then(
      (seen) => seen?.value ?? 'counting',
      (error: unknown) => ({ unread: isPaysessionError(error) ? error.code : 'LEDGER_UNAVAILABLE' }),
    );
  }
}

/** What is remembered, or read in time; `undefined` where that takes longer. */
const kept = <T>(remembered: StaleWhileRevalidate<T>, read: () => Promise<T>, withinMs = WITHIN_MS) =>
  soon(remembered.get('', read), withinMs);
