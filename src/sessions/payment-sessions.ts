import type { Client } from '@temporalio/client';
import { DEFAULT_TASK_QUEUE } from '../protocol/names';
import type { OpenedSession } from '../protocol/state/session';
import { callEngine, failed, isTimeout } from './calls/engine-errors';
import {
  deadlineOf,
  leftUntil,
  untilLeft,
  waitOf,
  withTimeout,
  type Deadline,
  type Wait,
  type WaitOptions,
} from './calls/deadlines';
import { SessionCalls, sharedByKey } from './calls/session-calls';
import { PlainTextGuard, pollersOf } from './calls/workers';
import type { SessionFilter } from './list/filter';
import { listSessions, type SessionSummary } from './list/list-sessions';
import { PaymentSessionHandle } from './payment-session-handle';
import { awaitOpened, startAndOpen } from './start/open';
import { prepareStart, type PreparedStart } from './start/prepare-start';
import {
  startEach,
  startOrAttach,
  type StartedSession,
  type StartManyOptions,
  type StartManyResult,
} from './start/start';
import type { StartAnswer } from './start/taken-key';
import type { ReadableLedger } from './from-ledger';
import type { PaymentSessionInput } from '../protocol/input';
import { encryptionOf } from '../encryption/worker-encryption';

/** Options of `PaymentSessions`. */
export interface PaymentSessionsOptions {
  /** The task queue that the workers poll. @default 'payment-sessions' */
  readonly taskQueue?: string;
  /** How long `start` waits for the Temporal server, in milliseconds. @default 10000 */
  readonly startTimeoutMs?: number;
  /** How long `open` and `opened` wait for the session to be created, in milliseconds. @default 12000 */
  readonly openTimeoutMs?: number;
  /** How long `state` and `stateHistory` wait for a worker, in milliseconds. @default 10000 */
  readonly queryTimeoutMs?: number;
  /** How long `refresh` waits for the payment service’s answer, in milliseconds. @default 12000 */
  readonly refreshTimeoutMs?: number;
  /** How long `cancelAndWait` and `resolveCreate` wait for their answer, in milliseconds. @default 60000 */
  readonly updateTimeoutMs?: number;
  /**
   * Tells of sessions that the Temporal server has dropped: a `PaymentLedger` of `paysession/ledger`, which the caller closes.
   * @default they are not found
   */
  readonly ledger?: ReadableLedger | undefined;
}

/** An opened session: send the payor to `checkoutUrl`. */
export interface OpenedPaymentSession extends OpenedSession {
  /** The session, to follow or cancel it; its `started` says whether the key had it already, and how it had ended. */
  readonly session: PaymentSessionHandle;
}

/**
 * Starts, finds and follows payment sessions through a Temporal client.
 *
 * @example
 * ```ts
 * const sessions = new PaymentSessions(new Client({ connection: await Connection.connect() }));
 * const { checkoutUrl, session } = await sessions.open({ key: 'order-1042', request });
 * console.log(checkoutUrl); // send the payor there
 * const { paid } = await session.result();
 * ```
 */
export class PaymentSessions {
  readonly #options: Required<Omit<PaymentSessionsOptions, 'ledger'>>;
  readonly #ledger: ReadableLedger | undefined;
  readonly #shared = sharedByKey();
  readonly #client: Client;
  readonly #plainText: PlainTextGuard;

  constructor(client: Client, { ledger, ...options }: PaymentSessionsOptions = {}) {
    this.#client = client;
    this.#ledger = ledger;
    this.#options = {
      taskQueue: DEFAULT_TASK_QUEUE,
      startTimeoutMs: 10_000,
      openTimeoutMs: 12_000,
      queryTimeoutMs: 10_000,
      refreshTimeoutMs: 12_000,
      updateTimeoutMs: 60_000,
      ...options,
    };
    this.#plainText = new PlainTextGuard(client, this.#options.taskQueue);
  }

  /**
   * Starts a session. Starting the same key and request again attaches to it; `started` of the handle says so, and how the session
   * had ended. A key whose session certainly never came to exist at the payment service begins anew, with this request or another:
   * one that was rejected or never sent, or cancelled before its create. Throws `InvalidRequestError`, which lists every
   * failure, before anything is started, `SessionConflictError` if the key belongs to a different request, and `PaysessionError`
   * `ENGINE_UNAVAILABLE`, or `ENCRYPTION_REQUIRED` if the client has no keys and the workers require encryption. After
   * `ENGINE_UNAVAILABLE` the session may have started: the same call again attaches to it.
   *
   * @example
   * ```ts
   * const policy = { deadline: '2h' } as const;
   * const session = await sessions.start({ key: 'order-1042', request, policy }, { timeoutMs: 3_000 });
   * ```
   */
  async start(input: PaymentSessionInput, options: WaitOptions = {}): Promise<PaymentSessionHandle> {
    return (await this.#startOrAttach(input, options)).session;
  }

  /**
   * Starts a session as `start` does and waits for its checkout URL, in one round trip to Temporal. `session.started` says whether the key
   * had a session already. Throws what `start` and `PaymentSessionHandle.opened` throw.
   *
   * @example
   * ```ts
   * const { checkoutUrl } = await sessions.open({ key: 'order-1042', request }, { timeoutMs: 5_000 });
   * ```
   */
  async open(input: PaymentSessionInput, options: WaitOptions = {}): Promise<OpenedPaymentSession> {
    const wait = waitOf(options, this.#options.openTimeoutMs);
    const start = prepareStart(input, this.#options.taskQueue);
    const calls = this.#callsOf(start.key);
    return this.#begin(start.key, wait, async (deadline) => {
      const begun = await startAndOpen(calls, start, deadline);
      const opened = begun.opened ?? (await awaitOpened(calls, deadline));
      return { ...opened, session: this.#handleOf(calls, begun.started) };
    });
  }

  /**
   * Starts many sessions, a bounded number at once, and returns the outcome of each in the order of the inputs. One that is
   * refused does not stop the others. Safe to run again: it does with each key as `start` does.
   *
   * @example
   * ```ts
   * for await (const { key, ...became } of sessions.startMany([{ key: 'order-1', request }])) console.log(key, became);
   * ```
   */
  startMany(
    inputs: AsyncIterable<PaymentSessionInput> | Iterable<PaymentSessionInput>,
    options: StartManyOptions = {},
  ): AsyncIterable<StartManyResult> {
    return startEach((input) => this.#startOrAttach(input), inputs, options);
  }

  /**
   * A handle of the session with this key. If there is none, its methods throw `SESSION_NOT_FOUND`; a ledger may still tell of one that
   * the Temporal server has dropped.
   *
   * @example
   * ```ts
   * const { paid } = await sessions.get('order-1042').state();
   * ```
   */
  get(key: string): PaymentSessionHandle {
    return this.#handleOf(this.#callsOf(key));
  }

  /**
   * Sessions that match the filter, newest first, fetched page by page. Throws `PaysessionError` `INVALID_FILTER`, which lists
   * every mistake, `ENGINE_UNAVAILABLE` or `ENGINE_REFUSED` while it is iterated.
   *
   * @example
   * ```ts
   * for await (const { key, status } of sessions.list({ running: true })) console.log(key, status);
   * for await (const { key } of sessions.list({ problem: 'parked' })) console.log(key, 'waits for a decision');
   * ```
   */
  list(filter: SessionFilter = {}): AsyncIterable<SessionSummary> {
    return listSessions(this.#client, filter);
  }

  /**
   * Returns true if workers of the task queue encrypt what Temporal stores. If so, a client without their keys would store requests
   * in plain text. `false` if no worker says so. Throws `PaysessionError` `ENGINE_UNAVAILABLE`.
   */
  async workersEncrypt(): Promise<boolean> {
    const { queryTimeoutMs, taskQueue } = this.#options;
    return callEngine('', async () => {
      const pollers = await withTimeout(this.#client, queryTimeoutMs, () =>
        pollersOf(this.#client, taskQueue),
      );
      return pollers.some(({ identity, recent }) => recent && encryptionOf(identity) !== undefined);
    });
  }

  async #startOrAttach(input: PaymentSessionInput, options: WaitOptions = {}): Promise<StartedSession> {
    const wait = waitOf(options, this.#options.startTimeoutMs);
    const start = prepareStart(input, this.#options.taskQueue);
    const answer = await this.#begin(start.key, wait, (deadline) =>
      startWithin(this.#client, start, leftUntil(deadline)),
    );
    return { session: this.#handleOf(this.#callsOf(start.key), answer), ...answer };
  }

  /** Begins a session once the request may be stored as it is, within the caller's time. */
  #begin<T>(key: string, wait: Wait, call: (deadline: Deadline) => Promise<T>): Promise<T> {
    const deadline = deadlineOf(wait);
    const begin = async () => {
      await this.#plainText.check(wait.timeoutMs);
      return call(deadline);
    };
    return untilLeft(this.#client, wait.leaving, () => callEngine(key, begin, this.#client));
  }

  #handleOf(calls: SessionCalls, started?: StartAnswer): PaymentSessionHandle {
    return new PaymentSessionHandle(calls, started, this.#ledger);
  }

  #callsOf(key: string): SessionCalls {
    return new SessionCalls(key, { client: this.#client, timeouts: this.#options, shared: this.#shared });
  }
}

/** A start needs no worker: without an answer it is the Temporal server that does not answer. */
async function startWithin(client: Client, start: PreparedStart, timeoutMs: number): Promise<StartAnswer> {
  try {
    return await withTimeout(client, timeoutMs, () => startOrAttach(client, start));
  } catch (error) {
    throw isTimeout(error) ? failed('ENGINE_UNAVAILABLE', error) : error;
  }
}
