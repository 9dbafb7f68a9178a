import type { Client } from '@temporalio/client';
import { defined } from '../contract/values/json';
import { DEFAULT_TASK_QUEUE } from '../protocol/names';
import { letClose } from '../protocol/temporal/grpc';
import type { OpenedSession } from '../protocol/state/session';
import { callTemporal, failed, isTimeout } from './calls/temporal-errors';
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
import { checkOptions, CLIENT_OPTIONS, START_MANY_OPTIONS, WAIT_OPTIONS } from './calls/options';
import { SessionCalls } from './calls/session-calls';
import { sharedByKey, type SharedByKey } from './calls/shared-call';
import { PlainTextGuard } from './calls/workers';
import type { SessionFilter } from './list/filter';
import { listSessions, toIndexError, type SessionSummary } from './list/list-sessions';
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

/** Options of {@link PaymentSessions}. */
export interface PaymentSessionsOptions {
  /** The task queue that the workers poll. @default 'payment-sessions' */
  readonly taskQueue?: string;
  /** The longest wait for the Temporal server, in milliseconds. Applies to `start` and to each start of `startMany`. @default 10000 */
  readonly startTimeoutMs?: number;
  /**
   * The longest wait until the session is created at the payment service, in milliseconds. Applies to `open` and `opened`.
   * @default 12000
   */
  readonly openTimeoutMs?: number;
  /**
   * The longest wait for an answer to a read, in milliseconds. `state`, `stateHistory` and `changes` wait for a worker; `changes` has
   * this limit only for its first state. `workersEncrypt` waits for the Temporal server.
   * @default 10000
   */
  readonly queryTimeoutMs?: number;
  /** The longest wait of `refresh` for the payment service’s answer, in milliseconds. @default 12000 */
  readonly refreshTimeoutMs?: number;
  /**
   * The longest wait for the answer to an action, in milliseconds. `cancelAndWait`, `resolveCreate`, `previewAdopt` and `recordReveal`
   * wait for the session. `cancel` waits only for the Temporal server.
   * @default 60000
   */
  readonly updateTimeoutMs?: number;
  /**
   * A `PaymentLedger` of `paysession/ledger`: the record of sessions that the Temporal server has dropped. You close the ledger yourself.
   * @default none: dropped sessions are not found
   */
  readonly ledger?: ReadableLedger | undefined;
}

/** An opened session. Send the payor to `checkoutUrl`. */
export interface OpenedPaymentSession extends OpenedSession {
  /** A handle of the session. Its `started` says whether `open` attached to an existing session, and how that session had ended. */
  readonly session: PaymentSessionHandle;
}

/**
 * Starts, finds and follows payment sessions through a Temporal client.
 *
 * Methods throw {@link PaysessionError}, whose `code` is one of {@link ERROR_CODES}. Each method lists the codes to expect. Every method
 * that calls the Temporal server can also throw `TEMPORAL_BUSY` or `TEMPORAL_REFUSED`. An option that the method does not have, such as a
 * misspelt one, is invalid.
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
  readonly #shared: SharedByKey;
  readonly #client: Client;
  readonly #plainText: PlainTextGuard;

  /**
   * Makes a client of payment sessions, without a call to the Temporal server.
   *
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid.
   */
  constructor(client: Client, options: PaymentSessionsOptions = {}) {
    checkOptions(options, CLIENT_OPTIONS);
    const { ledger, ...ownOptions } = options;
    // A caller may close its connection as soon as a call has ended or timed out.
    letClose(client.connection);
    this.#client = client;
    this.#shared = sharedByKey(client);
    this.#ledger = ledger;
    this.#options = {
      taskQueue: DEFAULT_TASK_QUEUE,
      startTimeoutMs: 10_000,
      openTimeoutMs: 12_000,
      queryTimeoutMs: 10_000,
      refreshTimeoutMs: 12_000,
      updateTimeoutMs: 60_000,
      ...defined(ownOptions),
    };
    this.#plainText = new PlainTextGuard(client, this.#options.taskQueue);
  }

  /**
   * Starts a session, and returns once the Temporal server has stored it. No worker needs to run.
   *
   * Starting the same key, request and account again attaches to the existing session. The handle's `started` then says that the call
   * attached, and how the session had ended.
   *
   * A session that has ended and was certainly never created at the payment service is replaced: a new session starts under its key, with
   * the same or another request. A session usually was never created if the service rejected its create request, or if the session was
   * cancelled before a worker sent the request.
   *
   * @throws {@link InvalidRequestError} if the input breaks the contract. The error lists every failure. Nothing was started.
   * @throws {@link SessionConflictError} if the key belongs to a session with a different request or account.
   * @throws {@link PaysessionError} `TEMPORAL_UNAVAILABLE` if the Temporal server does not answer. The session may have started: the same
   * call again attaches to it.
   * @throws {@link PaysessionError} `ENCRYPTION_REQUIRED` if the client has no keys and the workers require encryption.
   * @throws {@link PaysessionError} `ENCRYPTION_KEY_MISSING` if the key already has a session whose data the client cannot decrypt.
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid.
   *
   * @example
   * ```ts
   * const policy = { deadline: '2h' } as const;
   * const session = await sessions.start({ key: 'order-1042', request, policy }, { timeoutMs: 3_000 });
   * ```
   */
  async start(input: PaymentSessionInput, options: WaitOptions = {}): Promise<PaymentSessionHandle> {
    return (await this.#prepare(input, options)()).session;
  }

  /**
   * Starts a session as {@link PaymentSessions.start} does, and waits for its checkout URL. For a new session, one call to Temporal
   * starts the session and waits. `session.started` says whether `open` attached to an existing session.
   *
   * @throws the errors of {@link PaymentSessions.start} and {@link PaymentSessionHandle.opened}. After `SESSION_STILL_OPENING`, the
   * session keeps trying. Repeat the call to wait longer.
   * @throws {@link PaysessionError} `WORKER_UNAVAILABLE` if no worker polls the task queue. The session waits for a worker.
   *
   * @example
   * ```ts
   * const { checkoutUrl } = await sessions.open({ key: 'order-1042', request }, { timeoutMs: 5_000 });
   * ```
   */
  async open(input: PaymentSessionInput, options: WaitOptions = {}): Promise<OpenedPaymentSession> {
    const wait = waitOf(options, WAIT_OPTIONS, this.#options.openTimeoutMs);
    const start = prepareStart(input, this.#options.taskQueue);
    const calls = this.#callsOf(start.key);
    return this.#begin(start.key, wait, async (deadline) => {
      const begun = await startAndOpen(calls, start, deadline);
      const opened = begun.opened ?? (await awaitOpened(calls, deadline));
      return { ...opened, session: this.#handleOf(calls, begun.started) };
    });
  }

  /**
   * Starts many sessions, up to `concurrency` of them at once. Yields the outcome of each start, in the order of the inputs.
   *
   * A start that fails does not stop the others. The outcome of a failed start has the `error`. You can safely repeat the call: a
   * repeated start attaches to the existing session, as in {@link PaymentSessions.start}.
   *
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid. Nothing was started.
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
    checkOptions(options, START_MANY_OPTIONS);
    return startEach((input) => this.#prepare(input), inputs, options);
  }

  /**
   * Returns a handle of the session with this key, without a call to the Temporal server. If no session has the key, the handle's methods
   * throw `SESSION_NOT_FOUND`. With a ledger, the handle can also read a session that the Temporal server has dropped.
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
   * Lists the sessions that match the filter, newest first. Fetches them page by page during the iteration, and throws errors there.
   *
   * @throws {@link PaysessionError} `INVALID_FILTER` if the filter is malformed. The message lists every mistake.
   * @throws {@link PaysessionError} `TEMPORAL_UNAVAILABLE` if the Temporal server does not answer.
   * @throws {@link PaysessionError} `TEMPORAL_REFUSED` if the Temporal server refuses the query, for instance in an unknown namespace.
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
   * True if a worker of the task queue announces that it encrypts the data that Temporal stores. If so, give this client the same keys.
   * Without them, the client sends requests to Temporal in plain text, unless the workers require encryption.
   *
   * @throws {@link PaysessionError} `TEMPORAL_UNAVAILABLE` if the Temporal server does not answer.
   * @throws {@link PaysessionError} `TEMPORAL_REFUSED` if the Temporal server refuses the call, for instance in an unknown namespace.
   *
   * @example
   * ```ts
   * if (await sessions.workersEncrypt()) console.log('This client needs the keys of the workers.');
   * ```
   */
  async workersEncrypt(): Promise<boolean> {
    const ask = () => this.#plainText.encryptions();
    const { queryTimeoutMs } = this.#options;
    try {
      return (await withTimeout(this.#client, queryTimeoutMs, ask)).length > 0;
    } catch (error) {
      throw toIndexError(error);
    }
  }

  /**
   * Checks and copies an input at once. The returned function starts the input's session, or attaches to the session that has the key.
   */
  #prepare(input: PaymentSessionInput, options: WaitOptions = {}): () => Promise<StartedSession> {
    const wait = waitOf(options, WAIT_OPTIONS, this.#options.startTimeoutMs);
    const start = prepareStart(input, this.#options.taskQueue);
    return async () => {
      const answer = await this.#begin(start.key, wait, (deadline) =>
        startWithin(this.#client, start, leftUntil(deadline)),
      );
      return { session: this.#handleOf(this.#callsOf(start.key), answer), ...answer };
    };
  }

  /**
   * Makes a call that starts a session, within the caller's time. Throws before the call if the workers require encryption and the client
   * has no keys.
   */
  #begin<T>(key: string, wait: Wait, call: (deadline: Deadline) => Promise<T>): Promise<T> {
    const deadline = deadlineOf(wait);
    const begin = async () => {
      await this.#plainText.check(wait);
      wait.leaving?.throwIfAborted();
      return call(deadline);
    };
    return untilLeft(this.#client, wait.leaving, () => callTemporal(key, begin, this.#client));
  }

  #handleOf(calls: SessionCalls, started?: StartAnswer): PaymentSessionHandle {
    return new PaymentSessionHandle(calls, started, this.#ledger);
  }

  #callsOf(key: string): SessionCalls {
    return new SessionCalls(key, this.#client, this.#options, this.#shared);
  }
}

/** Starts a session, or attaches to it, within `timeoutMs`. A start needs no worker, so a timeout means that Temporal does not answer. */
async function startWithin(client: Client, start: PreparedStart, timeoutMs: number): Promise<StartAnswer> {
  try {
    return await withTimeout(client, timeoutMs, () => startOrAttach(client, start));
  } catch (error) {
    throw isTimeout(error) ? failed('TEMPORAL_UNAVAILABLE', error) : error;
  }
}
