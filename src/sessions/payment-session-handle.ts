import type {
  CancelReply,
  OpenedSession,
  RevealReply,
  SessionResult,
  SessionState,
} from '../protocol/state/session';
import type { AdoptPreview } from '../protocol/adopt-preview';
import { PaysessionError } from '../errors';
import { isMade, NOT_PARKED, type DecidedBy, type ResolveCreate } from '../protocol/decisions';
import type { RecordedSession } from '../protocol/ledger/recorded-session';
import type { StateHistoryEntry } from '../protocol/state/recorded';
import { MESSAGES } from '../protocol/names';
import type { SessionCalls } from './calls/session-calls';
import {
  cancelAndWait,
  type CancelOptions,
  changesOf,
  type ChangesOptions,
  onceStarted,
  type StartWaitOptions,
} from './calls/waiting';
import { deadlineOf, untilLeft, waitOf, type Wait, type WaitOptions } from './calls/deadlines';
import { CANCEL_OPTIONS, checkOptions, DECIDER_OPTIONS, REFRESH_OPTIONS } from './calls/options';
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
  resultOf,
  whole,
  type LedgerPlace,
  type ReadableLedger,
} from './from-ledger';

/** Options of {@link PaymentSessionHandle.refresh}. */
export interface RefreshOptions extends DecisionOptions, WaitOptions {}

/**
 * One payment session, by its key. {@link PaymentSessions} returns handles. A handle makes no call until one of its methods is called.
 *
 * Methods throw {@link PaysessionError}. Any method may throw these codes, although its own list does not repeat them:
 * - `SESSION_NOT_FOUND` if no session has the key.
 * - `TEMPORAL_UNAVAILABLE` if the Temporal server does not answer.
 * - `WORKER_UNAVAILABLE` if the call needs a worker and no worker answers. If no worker has polled the session's task queue for two
 *   minutes, the call usually throws within two seconds.
 * - `SESSION_BUSY` or `SESSION_UPDATE_LIMIT` if a running session cannot take the call for now.
 * - `SESSION_TERMINATED`, a {@link SessionFailedError}, if the session's workflow was terminated from outside.
 * - `ENCRYPTION_KEY_MISSING` if the client lacks the key that encrypts the session's data.
 * - `ENCRYPTION_REQUIRED` or `ENCRYPTION_TAMPERED` if the client or the worker refuses data that is unencrypted or was altered.
 * - `TEMPORAL_BUSY` or `TEMPORAL_REFUSED` if the Temporal server does not carry out the call.
 *
 * With a ledger, `state`, `stateHistory`, `changes` and `result` also answer for a session that the Temporal server has dropped. If the
 * ledger has no record of the session's end, they throw {@link SessionFailedError} `SESSION_TERMINATED` with its last known state.
 * `result` throws `SESSION_NOT_FOUND` if the result has been erased. The other methods throw `SESSION_NOT_FOUND` for a dropped session.
 * The ledger’s own errors are thrown as they are, such as `LEDGER_UNAVAILABLE` and `ENCRYPTION_KEY_MISSING`.
 *
 * A running session keeps the `by` and `reason` of a call in its `decisions`, as long as its record has room. A decision without `by` is
 * recorded under the identity of the Temporal client. A method that takes a `requestId` usually returns its first answer if it is called
 * again with the same id.
 *
 * A method throws `INVALID_INPUT` and sends nothing if it does not have one of the given options, such as a misspelt one, or if an option
 * has a wrong value, such as an empty or too long `by` or `reason`.
 *
 * @example
 * ```ts
 * const session = sessions.get('order-1042');
 * const { phase, paid } = await session.state();
 * if (phase === 'ended' && paid) console.log('deliver');
 * ```
 */
export class PaymentSessionHandle {
  /** The session's key. */
  readonly key: string;
  readonly #calls: SessionCalls;
  readonly #ledger: ReadableLedger | undefined;

  /** Makes a handle; {@link PaymentSessions} does it for you. */
  constructor(
    calls: SessionCalls,
    /** Says whether the `start` or `open` that returned this handle attached to a session; absent on a handle of `get`. */
    readonly started?: StartAnswer | undefined,
    ledger?: ReadableLedger,
  ) {
    this.#calls = calls;
    this.#ledger = ledger;
    this.key = calls.key;
  }

  /** The id of the session's Temporal workflow: `payment-session/` and the key. */
  get workflowId(): string {
    return this.#calls.workflowId;
  }

  /**
   * Waits until the session is created at the payment service. With `waitForStart`, the call first waits for a session that a
   * workflow is about to start.
   *
   * @throws {@link PaysessionError} `SESSION_STILL_OPENING` if the session is not created in time. It keeps trying.
   * @throws {@link SessionFailedError} `CREATE_OUTCOME_UNKNOWN` if the session is parked: it waits for
   * {@link PaymentSessionHandle.resolveCreate}.
   * @throws {@link SessionFailedError} `SESSION_NOT_OPENED` if the session was cancelled first.
   * @throws {@link SessionFailedError} `UNKNOWN_ACCOUNT`, `SERVICE_CREDENTIALS_REJECTED` or `INVALID_SETTINGS` if no worker could create
   * the session for a few seconds. The session keeps waiting for a worker that can.
   * @throws {@link SessionFailedError} with the session's own error code if the session failed.
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid.
   *
   * @example
   * ```ts
   * const { checkoutUrl } = await session.opened({ waitForStart: '30s' });
   * ```
   */
  async opened(options: StartWaitOptions = {}): Promise<OpenedSession> {
    const open = (wait: Wait) => awaitOpened(this.#calls, deadlineOf(wait));
    return this.#act(() => onceStarted(this.#calls, options, this.#calls.timeouts.openTimeoutMs, open));
  }

  /**
   * Requests the cancellation, and returns once the Temporal server has stored it, so that it cannot be lost. No worker needs to run.
   * Cancelling an ended session does nothing.
   *
   * @throws {@link SessionFailedError} `SESSION_TERMINATED` if the session's workflow was terminated from outside.
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid. Nothing was sent.
   *
   * @example
   * ```ts
   * await session.cancel({ by: 'Sam', reason: 'the customer called' });
   * ```
   */
  async cancel(decidedBy: DecidedBy = {}): Promise<void> {
    checkOptions(decidedBy, DECIDER_OPTIONS);
    const argument = decidedByOf(this.#calls.client, decidedBy);
    return this.#act(() => this.#calls.signalCancel(argument));
  }

  /**
   * Cancels the session and waits for the {@link CancelOutcome}: `cancelled`, `alreadyEnded`, `lostToCompletion` and so on. The outcome
   * says whether the cancel came too late. Another call with the same `requestId` usually returns the first answer.
   *
   * @throws {@link PaysessionError} `CANCEL_PENDING` if there is no answer yet, for instance because no worker is running. The
   * cancellation continues.
   * @throws {@link SessionFailedError} `CREATE_OUTCOME_UNKNOWN` if the session is parked. The cancellation is recorded, and carried out
   * after the decision ({@link PaymentSessionHandle.resolveCreate}).
   * @throws {@link SessionFailedError} with the session's error code if the session fails before the cancellation is settled.
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid. Nothing was sent.
   *
   * @example
   * ```ts
   * const { outcome } = await session.cancelAndWait({ requestId: 'cancel-order-1042' });
   * if (outcome === 'lostToCompletion') console.log('The payor was faster.');
   * ```
   */
  async cancelAndWait(options: CancelOptions = {}): Promise<CancelReply> {
    const { client, timeouts } = this.#calls;
    const { timeoutMs } = waitOf(options, CANCEL_OPTIONS, timeouts.updateTimeoutMs);
    const cancel = { argument: decidedByOf(client, options), requestId: options.requestId, timeoutMs };
    return this.#act(() => cancelAndWait(this.#calls, cancel));
  }

  /**
   * Polls the payment service as soon as the policy's `refreshSpacing` allows, and returns the state after the poll. A parked or ended
   * session is not polled. Call it, for instance, after the checkout page's message `SUCCESS` or `EXIT`. Callers that ask while a refresh
   * of the session is under way share the next one. The session keeps a refresh in `decisions` only if it names a person or a reason.
   *
   * @throws {@link PaysessionError} `WORKER_UNAVAILABLE` if no worker answers in time. Either no worker is running, or the poll still
   * waits for its turn or for the payment service, and continues.
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid. Nothing was sent.
   *
   * @example
   * ```ts
   * const { paid } = await session.refresh({ timeoutMs: 5_000 });
   * ```
   */
  async refresh(options: RefreshOptions = {}): Promise<SessionState> {
    const { client, timeouts } = this.#calls;
    const wait = waitOf(options, REFRESH_OPTIONS, timeouts.refreshTimeoutMs);
    const argument = decidedByOf(client, options);
    const ask = () => this.#calls.refresh(argument, options.requestId, wait);
    return this.#act(() => untilLeft(client, wait.leaving, ask));
  }

  /**
   * Records that a person views the personal data of the session's request. The payment service is not called. A session that has ended,
   * or whose record is full, records nothing more: `kept` of the answer is then false, and the caller's own log is the only record.
   *
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid. Nothing was sent.
   *
   * @example
   * ```ts
   * const { kept } = await session.recordReveal({ by: 'Sam', reason: 'the payor asked which email we have' });
   * ```
   */
  async recordReveal(decidedBy: DecidedBy = {}): Promise<RevealReply> {
    checkOptions(decidedBy, DECIDER_OPTIONS);
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
   * Compares a session of the payment service with this session's request, before {@link PaymentSessionHandle.resolveCreate}
   * adopts it. The answer has the service's report (contract A50) next to the request, and says whether the session would be
   * adopted.
   *
   * The call changes nothing, is not recorded, and shows no personal data. An id that the service does not know is not an error: the
   * answer's `refusal` then has the code `SERVICE_SESSION_UNKNOWN`.
   *
   * @param sessionId the payment service's id, a UUID
   * @throws {@link PaysessionError} `INVALID_INPUT` if no create request is waiting for a decision, or if the id is not a UUID. Nothing
   * was sent for such an id.
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
   * Decides about a create request with an unknown outcome: adopts a session of the payment service, creates again, or gives up. See
   * {@link ResolveCreate}. Resolves once the decision is carried out. After `retry`, the session may still be opening.
   *
   * A session that cannot be adopted is not an error: the phase stays `parked`, and the `result` of the newest entry in `decisions` says
   * why, for instance `SESSION_MISMATCH` for a different payment. {@link PaymentSessionHandle.previewAdopt} shows this beforehand.
   *
   * @throws {@link PaysessionError} `INVALID_INPUT` if no create request is waiting for a decision, if the session waits because of
   * another create request than `park` names, or if the answer or the options are malformed: a `sessionId` must be a UUID. Nothing was
   * sent for a malformed answer or malformed options.
   *
   * @example
   * ```ts
   * await session.resolveCreate({ retry: true }, { by: 'Sam', reason: 'not in the list' });
   * ```
   */
  async resolveCreate(answer: ResolveCreate, options: DecisionOptions = {}): Promise<SessionState> {
    const argument = resolutionOf(this.#calls.client, answer, options);
    const asked = { argument, part: options.requestId };
    return this.#act(() =>
      this.#calls.update<SessionState>(MESSAGES.resolveCreate, asked, ({ state }) => {
        if (!isMade(answer, state)) throw new PaysessionError('INVALID_INPUT', NOT_PARKED);
        return state;
      }),
    );
  }

  /**
   * Returns the session's current state. An ended session is read without a worker. With `waitForStart`, the call first waits for a
   * session that a workflow is about to start. It reads a ledger only after that wait.
   *
   * @throws {@link SessionFailedError} `SESSION_TERMINATED` if the session's workflow was terminated from outside.
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid.
   *
   * @example
   * ```ts
   * const { phase, status, code, paid } = await session.state();
   * ```
   */
  async state(options: StartWaitOptions = {}): Promise<SessionState> {
    const read = ({ timeoutMs, leaving }: Wait) => this.#calls.state(timeoutMs, leaving);
    const ask = () => onceStarted(this.#calls, options, this.#calls.timeouts.queryTimeoutMs, read);
    return this.#read(ask, (recorded) => whole(recorded).state);
  }

  /**
   * Returns the states that the session was seen in, oldest first: the first 200. An ended session is read without a worker.
   *
   * @throws {@link SessionFailedError} `SESSION_TERMINATED` if the session's workflow was terminated from outside.
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
   * Yields the current state, then the new state after each change of the phase, status, code, amount, cancel, problems, anomalies or
   * decisions. The last state has the phase `ended`.
   *
   * The call waits in the session's workflow, so that waiting costs the session nothing while nothing changes. Changes that follow each
   * other at once may come as one state. {@link PaymentSessionHandle.stateHistory} has each status and code that was seen, up to its limit.
   *
   * @throws {@link SessionFailedError} `SESSION_TERMINATED` if the session's workflow was terminated from outside.
   * @throws {@link PaysessionError} `INVALID_INPUT` if the options are invalid.
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
      yield this.#read(
        () => Promise.reject(error as Error),
        (recorded) => whole(recorded).state,
      );
    }
  }

  /**
   * Waits until the session ends, without a time limit, and returns its result. `Completed`, `Failed`, `Cancelled` and `Expired` are
   * results. Check `paid` before you deliver.
   *
   * @throws {@link SessionFailedError} with the session's error code if the session failed, mostly because it could not be created, or
   * `SESSION_TERMINATED` if the session's workflow was terminated from outside.
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
