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
 * A handle of one payment session. {@link PaymentSessions.get}, `start` and `open` return handles. Creating a handle makes no call to
 * Temporal.
 *
 * Methods throw {@link PaysessionError}. Every method may throw these codes, and the lists of the methods do not repeat all of them:
 * - `SESSION_NOT_FOUND` if no session has the key.
 * - `TEMPORAL_UNAVAILABLE` if the Temporal server does not answer.
 * - `WORKER_UNAVAILABLE` if the call needs a worker and no worker answers. If no worker has polled the session's task queue for two
 *   minutes, the call usually throws within two seconds.
 * - `SESSION_BUSY` or `SESSION_UPDATE_LIMIT` if a running session currently accepts no more calls.
 * - `SESSION_TERMINATED`, a {@link SessionFailedError}, if the session's workflow was terminated from outside.
 * - `ENCRYPTION_KEY_MISSING` if the client lacks the key that encrypts the session's data.
 * - `ENCRYPTION_REQUIRED` if the client or a worker requires encryption and receives plain data. `ENCRYPTION_TAMPERED` if it receives
 *   altered data.
 * - `TEMPORAL_BUSY` or `TEMPORAL_REFUSED` if the Temporal server does not carry out the call.
 *
 * The Temporal server drops an ended session after its retention. With a ledger, `state`, `stateHistory`, `changes` and `result` read a
 * dropped session from the ledger:
 * - If the ledger has no record of the session's end, these methods throw {@link SessionFailedError} `SESSION_TERMINATED` with the
 *   session's last known state.
 * - If the result has been erased from the ledger, `result` throws `SESSION_NOT_FOUND`.
 * - Errors of the ledger, such as `LEDGER_UNAVAILABLE` and `ENCRYPTION_KEY_MISSING`, are thrown unchanged.
 *
 * All other methods throw `SESSION_NOT_FOUND` for a dropped session.
 *
 * Some methods take the name (`by`) of the person who decides, and a `reason`. A running session records both in its `decisions`, until
 * that list is full. For a decision without `by`, the session records the identity of the Temporal client. Some methods take a `requestId`.
 * If such a method is called again with the same id, it usually returns its first answer.
 *
 * A method throws `INVALID_INPUT`, and sends nothing, if an option is unknown (for instance misspelt) or has an invalid value (for instance
 * an empty or too long `by` or `reason`).
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

  /** Makes a handle. Don't call this constructor: use {@link PaymentSessions.get}. */
  constructor(
    calls: SessionCalls,
    /**
     * Says whether the `start` or `open` that returned this handle attached to an existing session. Absent if `get` returned the handle.
     */
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
   * Waits until the session is created at the payment service. Returns the session's id and checkout URL. If a workflow is about to start
   * the session, set `waitForStart`: the call first waits for that start.
   *
   * @throws {@link PaysessionError} `SESSION_STILL_OPENING` if the session is not created in time. The session keeps trying.
   * @throws {@link SessionFailedError} `CREATE_OUTCOME_UNKNOWN` if the session is parked: the outcome of its create request is unknown, and
   * the session waits for {@link PaymentSessionHandle.resolveCreate}.
   * @throws {@link SessionFailedError} `SESSION_NOT_OPENED` if the session was cancelled before it was created.
   * @throws {@link SessionFailedError} `UNKNOWN_ACCOUNT`, `SERVICE_CREDENTIALS_REJECTED` or `INVALID_SETTINGS` if for a few seconds, no
   * worker could create the session, for instance because no worker has the account's credentials. The session waits for a worker that can.
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
   * Requests the cancellation. Returns once the Temporal server has stored the request, so the request cannot be lost. No worker needs to
   * run. Cancelling an ended session does nothing.
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
   * Cancels the session and waits for the {@link CancelOutcome}, such as `cancelled`, `alreadyEnded` or `lostToCompletion`. The outcome
   * says whether the cancellation came too late. Another call with the same `requestId` usually returns the first answer.
   *
   * @throws {@link PaysessionError} `CANCEL_PENDING` if there is no answer yet, for instance because no worker is running. The cancellation
   * continues.
   * @throws {@link SessionFailedError} `CREATE_OUTCOME_UNKNOWN` if the session is parked. The cancellation is recorded. The session carries
   * it out after an operator has decided about the create request ({@link PaymentSessionHandle.resolveCreate}).
   * @throws {@link SessionFailedError} with the session's error code if the session fails before the cancellation has an outcome.
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
    const cancel = {
      argument: decidedByOf(client, options),
      requestId: options.requestId ?? undefined,
      timeoutMs,
    };
    return this.#act(() => cancelAndWait(this.#calls, cancel));
  }

  /**
   * Makes a worker poll the payment service now, and returns the state after the poll. Call it, for instance, when the checkout page has
   * received the message `SUCCESS` or `EXIT`.
   *
   * If the last poll was very recent, the worker first waits until the policy's `refreshSpacing` is over. A parked or ended session is not
   * polled. While a refresh of the session is running, all new callers share the next refresh. The session records a refresh in `decisions`
   * only if the call names a person or a reason.
   *
   * @throws {@link PaysessionError} `WORKER_UNAVAILABLE` if no worker answers in time. Either no worker is running, or the poll is still
   * waiting. A waiting poll continues after the error.
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
    const ask = () => this.#calls.refresh(argument, options.requestId ?? undefined, wait);
    return this.#act(() => untilLeft(client, wait.leaving, ask));
  }

  /**
   * Records that a person views the personal data in the session's request. The payment service is not called.
   *
   * An ended session, or a session whose record is full, records nothing more. The answer's `kept` is then false, and your own log must
   * record the view.
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
   * Compares a session of the payment service with the request of this parked session. Use it before
   * {@link PaymentSessionHandle.resolveCreate} with `adopt`. The answer shows the service's report (contract rule A50, docs/contract.md)
   * next to the request, and says whether `adopt` would succeed.
   *
   * The call changes nothing, is not recorded, and shows no personal data. If the service does not know the id, the call does not throw.
   * The answer's `refusal` then has the code `SERVICE_SESSION_UNKNOWN`.
   *
   * @param sessionId the payment service's id, a UUID
   * @throws {@link PaysessionError} `INVALID_INPUT` if no create request is waiting for a decision, or if the id is not a UUID. An invalid
   * id is not sent.
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
   * Decides what happens to a parked session, whose create request has an unknown outcome. The {@link ResolveCreate} answer adopts a
   * session of the payment service, sends another create request, or gives up.
   *
   * Resolves once the decision is carried out. After `retry`, the session may not be created yet.
   *
   * If a session cannot be adopted, the call does not throw. The phase stays `parked`, and the `result` of the newest entry in `decisions`
   * says why. For instance, `SESSION_MISMATCH` means that the session is a different payment. {@link PaymentSessionHandle.previewAdopt}
   * shows this in advance.
   *
   * @throws {@link PaysessionError} `INVALID_INPUT` if no create request is waiting for a decision, if the answer's `park` names an earlier
   * create request, or if the answer or the options are malformed. A malformed answer is not sent.
   *
   * @example
   * ```ts
   * await session.resolveCreate({ retry: true }, { by: 'Sam', reason: 'not in the list' });
   * ```
   */
  async resolveCreate(answer: ResolveCreate, options: DecisionOptions = {}): Promise<SessionState> {
    const argument = resolutionOf(this.#calls.client, answer, options);
    const asked = { argument, part: options.requestId ?? undefined };
    return this.#act(() =>
      this.#calls.update<SessionState>(MESSAGES.resolveCreate, asked, ({ state }) => {
        if (!isMade(answer, state)) throw new PaysessionError('INVALID_INPUT', NOT_PARKED);
        return state;
      }),
    );
  }

  /**
   * Returns the session's current state. The state of a running session comes from a worker. The state of an ended session needs no worker.
   *
   * If a workflow is about to start the session, set `waitForStart`: the call first waits for that start. The call reads the ledger only
   * after that wait.
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
   * Returns the first 200 states in which workers saw the session, oldest first. The states of an ended session need no worker.
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
   * Yields the current state, then the new state after each change. The last yielded state has the phase `ended`. A change is a new phase,
   * status, code or amount, or something new in the cancellation, problems, anomalies or decisions.
   *
   * The call waits in the session's workflow. Until the session changes, waiting causes no polls. Several changes in quick succession may
   * arrive as one state. {@link PaymentSessionHandle.stateHistory} has each status and code that workers saw, up to its limit.
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
   * Waits until the session ends, without a time limit, and returns its result. Sessions that end as `Completed`, `Failed`, `Cancelled` or
   * `Expired` all have a result, so check `paid` before you deliver.
   *
   * @throws {@link SessionFailedError} with the session's error code if the session failed. Most of these sessions could not be created.
   * The code is `SESSION_TERMINATED` if the session's workflow was terminated from outside.
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
