import type { Client } from '@temporalio/client';
import {
  type SessionFilter,
  type SessionSummary,
  type Poller,
  pollersOf,
  signalOfCall,
  withTimeout,
  isGone,
  toPaysessionError,
  countSessions,
  toIndexError,
  type PageOptions,
  type SessionPage,
  sessionsPage,
  searchSessions,
  newestOpen,
  soon,
} from '../../src/sessions';
import { isPaysessionError } from '../../src/errors';
import { MESSAGES, UNREADABLE } from '../../src/protocol/names';
import { SESSION_CODES, SESSION_STATUSES } from '../../src/contract';
import { PROBLEMS } from '../../src/protocol/state/problems';
import { SESSION_PHASES } from '../../src/protocol/state/recorded';
import type { Reach } from './live';
import { type Freshness, StaleWhileRevalidate, type Seen } from './stale-while-revalidate';
import { IndexQueue } from './index-queue';
import { RunPayments, type PaymentsOfRuns } from './run-payments';
import { SESSION_KINDS } from '../../src/contract/statuses';
import type { LedgerPayments } from '../../ledger/sessions/ledger-payments';

/** The properties that sessions are counted and filtered by. */
export type Facet = 'phase' | 'problem' | 'status' | 'code' | 'kind';

/**
 * The values of each property that are counted. Other values, such as a future status, are not counted, but a filter with the value's name
 * finds them.
 */
export const FACETS: Readonly<Record<Facet, readonly string[]>> = {
  phase: SESSION_PHASES,
  problem: Object.keys(PROBLEMS),
  status: [...SESSION_STATUSES, UNREADABLE],
  code: [...Object.keys(SESSION_CODES), UNREADABLE],
  kind: SESSION_KINDS,
};

export const FACET_NAMES = Object.keys(FACETS) as readonly Facet[];

/** The number of sessions with each value. */
export type FacetCounts = ReadonlyMap<string, number>;

/** The index may be slow with many sessions. */
const INDEX_TIMEOUT_MS = 10_000;

/** The Temporal server keeps a task queue's pollers in memory. If it does not list them within this time, it counts as lost. */
const TEMPORAL_TIMEOUT_MS = 2_000;

/**
 * The minimum time between two counts, eight a second. By default, a namespace allows ten queries of its index a second, and lists need
 * some of them.
 */
const COUNTS_APART_MS = 125;

/** The time that a list waits for the ledger. */
const PAYMENTS_WITHIN_MS = 200;

/** The time, in milliseconds, that a list waits before a running count is cancelled: see `IndexQueue`. */
const PATIENCE_MS = 50;

/** Slow counts are read less often: see `IndexQueue`. */
export const COUNTS: Freshness = { freshMs: 10_000, usableMs: 300_000 };

/** The freshness of lists, of workers, and of the check for an answering worker. */
const LATEST: Freshness = { freshMs: 1_000, usableMs: 1_000 };

const RUNNING: Freshness = { freshMs: 5_000, usableMs: 60_000 };

/**
 * A check for an answering worker first needs a list of running sessions. This is the maximum wait for the list. If it takes longer, a
 * later check uses it.
 */
const RUNNING_WITHIN_MS = 500;

/**
 * Reads all sessions from Temporal's index, and their money from the ledger. Readers share all reads of the index, except searches and
 * `countNow`. All reads except `paymentsOf` and `reach` throw `PaysessionError`: `TEMPORAL_UNAVAILABLE`, `TEMPORAL_BUSY` or
 * `TEMPORAL_REFUSED`, and `INVALID_FILTER` for an invalid filter.
 */
export class Reading {
  readonly #counts = new StaleWhileRevalidate<number>(COUNTS);
  readonly #facets = new StaleWhileRevalidate<FacetCounts>(COUNTS);
  readonly #pages = new StaleWhileRevalidate<SessionPage>(LATEST);
  readonly #polling = new StaleWhileRevalidate<readonly Poller[]>(LATEST);
  readonly #answering = new StaleWhileRevalidate<boolean>(LATEST);
  readonly #running = new StaleWhileRevalidate<readonly string[]>(RUNNING);

  readonly #closing = new AbortController();
  readonly #queue = new IndexQueue({
    ending: this.#closing.signal,
    apartMs: COUNTS_APART_MS,
    patienceMs: PATIENCE_MS,
  });
  readonly #client: Client;
  readonly #payments: RunPayments | undefined;
  readonly #taskQueue: string;

  constructor(client: Client, taskQueue: string, payments?: Pick<LedgerPayments, 'claimsAmong'>) {
    this.#client = client;
    this.#payments = payments && new RunPayments(client, payments);
    this.#taskQueue = taskQueue;
  }

  /** Cancels the running queries. Their answers are ignored. */
  close(): void {
    this.#closing.abort();
  }

  /** Counts the matching sessions. The result may be up to five minutes old. */
  async count(filter: SessionFilter): Promise<Seen<number>> {
    return this.#counts.get(JSON.stringify(filter), () => this.countNow(filter));
  }

  /** Counts the matching sessions, for callers that cache the result. */
  async countNow(filter: SessionFilter): Promise<number> {
    return this.#queue.later((signal) => this.#ask(() => countSessions(this.#client, filter), { signal }));
  }

  /**
   * Counts the sessions with each value of a property. The result may be up to five minutes old. The count takes one query for each value,
   * because current Temporal servers can group workflows only by their own status.
   */
  async countsOf(facet: Facet): Promise<Seen<FacetCounts>> {
    return this.#facets.get(facet, async () => {
      const counted = FACETS[facet].map(
        async (value) => [value, await this.countNow({ [facet]: value })] as const,
      );
      return new Map(await Promise.all(counted));
    });
  }

  /** Returns a page of sessions, newest first. */
  async page(filter: SessionFilter, options: PageOptions): Promise<SessionPage> {
    const { value } = await this.#pages.get(JSON.stringify([filter, options]), () =>
      this.#askAtOnce(() => sessionsPage(this.#client, filter, options)),
    );
    return value;
  }

  /** Finds sessions by key, reference or the payment service's session id. */
  async search(text: string): Promise<readonly SessionSummary[]> {
    return this.#askAtOnce(() => searchSessions(this.#client, text));
  }

  /**
   * Returns the ledger's payments of these sessions, by the ids of their runs. A claim is the ledger's record that a key belongs to one
   * workflow. A key may have several claims, and only the claim of the run's own workflow counts. Returns `undefined` without a ledger. The
   * result is empty if the read fails or takes too long.
   */
  async paymentsOf(sessions: readonly SessionSummary[]): Promise<PaymentsOfRuns | undefined> {
    if (this.#payments === undefined) return undefined;
    const read = soon(this.#payments.of(sessions), PAYMENTS_WITHIN_MS);
    return (await read.catch(() => undefined)) ?? new Map();
  }

  /** Returns the workers that have polled the task queue within the last five minutes. */
  async workers(): Promise<readonly Poller[]> {
    const { value } = await this.#polling.get('', () =>
      this.#ask(() => pollersOf(this.#client, this.#taskQueue), { withinMs: TEMPORAL_TIMEOUT_MS }),
    );
    return value;
  }

  /** True if a worker answers the query of an open session. If no session is open, true if a worker has polled recently. */
  async hasWorker(): Promise<boolean> {
    const { value } = await this.#answering.get('', async () => {
      const workers = await this.workers();
      if (!workers.some(({ recent }) => recent)) return false;
      if (await isAnswered(this.#client, await this.#someRunning())) return true;
      // If the Temporal server was lost meanwhile, this call throws, and that is reported instead.
      await this.workers();
      return false;
    });
    return value;
  }

  /** Returns the part that cannot be reached now. */
  async reach(): Promise<Reach> {
    try {
      return (await this.hasWorker()) ? 'back' : 'workerLost';
    } catch {
      return 'temporalLost';
    }
  }

  async #someRunning(): Promise<readonly string[]> {
    const newest = () => newestOpen(this.#client, this.#taskQueue, MOST_ASKED);
    const read = () =>
      this.#queue.first(async () => (await this.#ask(newest)).map(({ workflowId }) => workflowId));
    const seen = await soon(this.#running.get('', read), RUNNING_WITHIN_MS).catch(() => undefined);
    return seen?.value ?? [];
  }

  /**
   * Runs a query before all counts, because a person waits for the answer. If the Temporal server does not answer, fails within two
   * seconds, because it also calls `workers`.
   */
  async #askAtOnce<T>(query: () => Promise<T>): Promise<T> {
    const [answer] = await Promise.all([this.#queue.first(() => this.#ask(query)), this.workers()]);
    return answer;
  }

  async #ask<T>(
    query: () => Promise<T>,
    { withinMs = INDEX_TIMEOUT_MS, signal = this.#closing.signal }: Limits = {},
  ): Promise<T> {
    const own = signalOfCall(signal);
    try {
      return await this.#client.withAbortSignal(own.signal, () => withTimeout(this.#client, withinMs, query));
    } catch (error) {
      throw toIndexError(error);
    } finally {
      own.end();
    }
  }
}

interface Limits {
  readonly withinMs?: number;
  /** Ends the query. @default the end of the console */
  readonly signal?: AbortSignal;
}

/**
 * The number of sessions that a check queries. One session is not enough, because the session of a lost worker does not answer until
 * another worker takes it over.
 */
const MOST_ASKED = 4;

/**
 * The time limits of the queries. Together with the interval between two reads, they are short enough to report a killed worker within five
 * seconds.
 */
const FIRST_WITHIN_MS = 700;

const ANY_WITHIN_MS = 1_500;

/**
 * Returns true if a worker answers for any of these sessions, or if there are none. The Temporal server still lists a killed worker for
 * minutes. Queries that get no answer detect the loss within seconds.
 */
async function isAnswered(client: Client, workflowIds: readonly string[]): Promise<boolean> {
  const [first] = workflowIds;
  if (first === undefined || (await answerOf(client, first, FIRST_WITHIN_MS)) === 'answered') return true;
  const answers = workflowIds.map((workflowId) => answerOf(client, workflowId, ANY_WITHIN_MS));
  const answered = answers.map(async (answer) => {
    if ((await answer) !== 'answered') throw new Error('no answer');
  });
  return Promise.any(answered).then(
    () => true,
    async () => (await Promise.all(answers)).every((answer) => answer === 'gone'),
  );
}

/**
 * Returns `silent` if no worker answers for the session in time, and `gone` if the index lists a session that Temporal no longer has. Any
 * other error, such as an error from a worker, counts as an answer.
 */
async function answerOf(
  client: Client,
  workflowId: string,
  withinMs: number,
): Promise<'answered' | 'silent' | 'gone'> {
  try {
    await withTimeout(client, withinMs, () => client.workflow.getHandle(workflowId).query(MESSAGES.state));
    return 'answered';
  } catch (error) {
    if (isGone(error)) return 'gone';
    return isPaysessionError(toPaysessionError('', error), 'WORKER_UNAVAILABLE') ? 'silent' : 'answered';
  }
}
