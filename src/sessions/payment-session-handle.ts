import type {
  CancelReply,
  OpenedSession,
  RevealReply,
  SessionResult,
  SessionState,
} from '../protocol/state/session';
import type { AdoptPreview } from '../protocol/adopt-preview';
import type { DecidedBy, ResolveCreate } from '../protocol/decisions';
import type { RecordedSession } from '../protocol/ledger/recorded-session';
import type { StateHistoryEntry } from '../protocol/state/recorded';
import { MESSAGES } from '../protocol/names';
import { toPaysessionError } from './calls/engine-errors';
import type { SessionCalls } from './calls/session-calls';
import {
  awaitStart,
  cancelAndWait,
  type CancelOptions,
  changesOf,
  type ChangesOptions,
  startWaitOf,
  type StartWaitOptions,
} from './calls/waiting';
import { deadlineOf, untilLeft, waitOf, type WaitOptions } from './calls/deadlines';
import { awaitOpened } from './start/open';
import type { StartAnswer } from './start/taken-key';
import {
  decidedByOf,
  type DecisionOptions,
  defaultDecider,
  nothingToPreview,
  previewOf,
  resolutionOf,
} from './decisions';
import {
  callOrRead,
  nothingToDo,
  readDropped,
  resultOf,
  whole,
  type LedgerPlace,
  type ReadableLedger,
} from './from-ledger';

/** Options of `refresh`. */
export interface RefreshOptions extends DecisionOptions, WaitOptions {}

/**
 * One payment session, by its key. Every method throws `PaysessionError`: `SESSION_NOT_FOUND` for an unknown key,
 * `ENGINE_UNAVAILABLE` when the Temporal server does not answer, `WORKER_UNAVAILABLE` when no worker does: within two
 * seconds where none polls the session's task queue.
 *
 * With a ledger, `state`, `stateHistory`, `changes` and `result` also answer for a session that the Temporal server has dropped, and the
 * others throw `SESSION_NOT_FOUND` for it. Where its end does not stand in the ledger, they throw `SessionFailedError`
 * `SESSION_TERMINATED` with what is known; `result` throws `SESSION_NOT_FOUND` where it has been erased. The ledger’s own errors are
 * thrown as they are, such as `LEDGER_UNAVAILABLE` and `ENCRYPTION_KEY_MISSING`.
 *
 * Where a method takes `by` and `reason`, the session keeps them in its `decisions`. A reason without a name is signed with
 * the identity of the Temporal client; texts that are too long throw `INVALID_INPUT`, and nothing is sent. Where it takes
 * a `requestId`, the same call again returns the first answer.
 */
export class PaymentSessionHandle {
  /** The session's key. */
  readonly key: string;
  readonly #calls: SessionCalls;
  readonly #ledger: ReadableLedger | undefined;

  /** `PaymentSessions` makes handles. */
  constructor(
    calls: SessionCalls,
    /** What the `start` or `open` that returned this handle found under the key; absent on a handle of `get`. */
    readonly started?: StartAnswer | undefined,
    ledger?: ReadableLedger,
  ) {
    this.#calls = calls;
    this.#ledger = ledger;
    this.key = calls.key;
  }

  /** The id of the session's workflow: `payment-session/` and the key. */
  get workflowId(): string {
    return this.#calls.workflowId;
  }

  /**
   * Waits until the session is created at the service. Throws `SESSION_STILL_OPENING` after the open timeout,
   * `CREATE_OUTCOME_UNKNOWN` when it is parked, the session's own error code when it failed, and `SESSION_NOT_OPENED`
   * when it was cancelled first. `UNKNOWN_ACCOUNT` and `SERVICE_CREDENTIALS_REJECTED` mean that no worker could create it for a few
   * seconds: it keeps waiting for one that can. With `waitForStart`, it first waits for a session that a workflow is about to start;
   * `INVALID_INPUT` says what is wrong with the options.
   *
   * @example
   * ```ts
   * const { checkoutUrl } = await session.opened({ waitForStart: '30s' });
   * ```
   */
  async opened(options: StartWaitOptions = {}): Promise<OpenedSession> {
    const { client, timeouts } = this.#calls;
    return this.#act(async () => {
      const waitMs = startWaitOf(options);
      const wait = waitOf(options, timeouts.openTimeoutMs);
      return untilLeft(client, options.signal, async () => {
        await awaitStart(this.#calls, waitMs);
        return awaitOpened(this.#calls, deadlineOf(wait));
      });
    });
  }

  /**
   * Requests the cancellation and returns once Temporal has stored it: it will reach the service. Nothing happens to an ended
   * session; one that was terminated from outside throws `SESSION_TERMINATED`.
   *
   * @example
   * ```ts
   * await session.cancel({ by: 'Sam', reason: 'the customer called' });
   * ```
   */
  async cancel(decidedBy: DecidedBy = {}): Promise<void> {
    const argument = decidedByOf(this.#calls.client, decidedBy);
    return this.#act(() => this.#calls.signalCancel(argument));
  }

  /**
   * Cancels and waits for the outcome: `cancelled`, `alreadyEnded`, `lostToCompletion` and so on. Calling it again with the
   * same `requestId` returns the first answer. Throws `CANCEL_PENDING` if the answer takes too long or no worker is there; the
   * cancellation continues.
   *
   * @example
   * ```ts
   * const { outcome } = await session.cancelAndWait({ requestId: 'cancel-order-1042' });
   * if (outcome === 'lostToCompletion') console.log('The payor was faster.');
   * ```
   */
  async cancelAndWait(options: CancelOptions = {}): Promise<CancelReply> {
    return this.#act(() => cancelAndWait(this.#calls, options, decidedByOf(this.#calls.client, options)));
  }

  /**
   * Polls the service at once, for instance after the checkout page's `SUCCESS` or `EXIT`; answers with the state then.
   * Callers who ask while a refresh of the session is under way share the next one. Only one that names someone or a reason is
   * kept in `decisions`.
   *
   * @example
   * ```ts
   * const { paid } = await session.refresh({ timeoutMs: 5_000 });
   * ```
   */
  async refresh(options: RefreshOptions = {}): Promise<SessionState> {
    const { client, timeouts } = this.#calls;
    const argument = decidedByOf(client, options);
    const wait = waitOf(options, timeouts.refreshTimeoutMs);
    const ask = () => this.#calls.refresh(argument, options.requestId, wait);
    return this.#act(() => untilLeft(client, wait.leaving, ask));
  }

  /**
   * Records that a person looks at the personal data of the session's request. Nothing is asked of the payment service.
   * An ended session records nothing more: then the answer says that it is not `kept`, and the caller's own log is the
   * only record.
   *
   * @example
   * ```ts
   * const { kept } = await session.recordReveal({ by: 'Sam', reason: 'the payor asked which email we have' });
   * ```
   */
  async recordReveal(decidedBy: DecidedBy = {}): Promise<RevealReply> {
    const { client } = this.#calls;
    const argument = decidedByOf(client, decidedBy) ?? { by: defaultDecider(client) };
    return this.#act(() =>
      this.#calls.update<RevealReply>(MESSAGES.recordReveal, { argument }, ({ state }) => ({
        kept: false,
        state,
      })),
    );
  }

  /**
   * Looks at a session of the payment service before `resolveCreate` adopts it: what the service says of it (contract A50),
   * beside what this session asked for, and whether it would be adopted. Changes nothing, is not recorded, and shows no personal
   * data. An id that the service does not know is an answer, `SERVICE_SESSION_UNKNOWN` its `refusal`. Throws `INVALID_INPUT` if
   * no create is waiting, and, before anything is sent, for an id that is no UUID.
   *
   * @example
   * ```ts
   * const { adoptable, found, differences } = await session.previewAdopt('3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1');
   * if (adoptable) console.log(found?.status, found?.createdAt);
   * else console.log('another payment:', differences);
   * ```
   */
  async previewAdopt(sessionId: string): Promise<AdoptPreview> {
    const argument = previewOf(sessionId);
    return this.#act(() =>
      this.#calls.update<AdoptPreview>(MESSAGES.previewAdopt, { argument }, nothingToPreview),
    );
  }

  /**
   * Decides about a create request with an unknown outcome. Throws `INVALID_INPUT` if none is waiting, and, before anything is sent,
   * if the answer is malformed: a `sessionId` must be a UUID, as the payment service gives them.
   *
   * @example
   * ```ts
   * await session.resolveCreate({ retry: true }, { by: 'Sam', reason: 'not in the list' });
   * ```
   */
  async resolveCreate(
    answer: ResolveCreate,
    { requestId, ...decidedBy }: DecisionOptions = {},
  ): Promise<SessionState> {
    const argument = resolutionOf(this.#calls.client, answer, decidedBy);
    const options = { argument, updateId: requestId };
    return this.#act(() =>
      this.#calls.update<SessionState>(MESSAGES.resolveCreate, options, ({ state }) => state),
    );
  }

  /**
   * What the session is doing now. For an ended session no worker is needed. With `waitForStart`, it first waits for a session that
   * a workflow is about to start, and asks a ledger only then; `INVALID_INPUT` says what is wrong with the options.
   *
   * @example
   * ```ts
   * const { phase, status, code, paid } = await session.state();
   * ```
   */
  async state(options: StartWaitOptions = {}): Promise<SessionState> {
    const { client, timeouts } = this.#calls;
    const ask = async () => {
      const waitMs = startWaitOf(options);
      const { timeoutMs, leaving } = waitOf(options, timeouts.queryTimeoutMs);
      return untilLeft(client, leaving, async () => {
        await awaitStart(this.#calls, waitMs);
        return this.#calls.state(timeoutMs);
      });
    };
    return this.#read(ask, (recorded) => whole(recorded).state);
  }

  /**
   * Every state the session was seen in, oldest first. For an ended session no worker is needed.
   *
   * @example
   * ```ts
   * for (const { status, firstSeenAt } of await session.stateHistory()) console.log(firstSeenAt, status);
   * ```
   */
  async stateHistory(): Promise<readonly StateHistoryEntry[]> {
    return this.#read(
      () => this.#calls.stateHistory(),
      (recorded) => whole(recorded).stateHistory,
    );
  }

  /**
   * The state now, and again after each change of its phase, status, code, amount, cancel, problems, anomalies or decisions,
   * until the session has ended; the last one has the phase `ended`. The session itself is waited in, so that waiting costs
   * nothing while nothing changes. States that follow each other at once may come as one: `stateHistory` has them all.
   *
   * @example
   * ```ts
   * for await (const { phase, status } of session.changes()) console.log(phase, status);
   * ```
   */
  async *changes(options: ChangesOptions = {}): AsyncIterable<SessionState> {
    try {
      yield* changesOf(this.#calls, options);
    } catch (error) {
      const dropped = await readDropped(this.#place, toPaysessionError(this.key, error));
      yield whole(dropped).state;
    }
  }

  /**
   * Waits for the end. `Completed`, `Failed`, `Cancelled` and `Expired` are results; throws `SessionFailedError` otherwise.
   *
   * @example
   * ```ts
   * const { paid, sessionId } = await session.result();
   * ```
   */
  async result(): Promise<SessionResult> {
    return this.#read(() => this.#calls.result(), resultOf);
  }

  get #place(): LedgerPlace {
    return { key: this.key, ledger: this.#ledger, client: this.#calls.client };
  }

  #read<T>(ask: () => Promise<T>, fromRecord: (recorded: RecordedSession) => T): Promise<T> {
    return callOrRead(this.#place, ask, fromRecord);
  }

  #act<T>(call: () => Promise<T>): Promise<T> {
    return callOrRead(this.#place, call, nothingToDo);
  }
}
