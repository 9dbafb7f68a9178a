import type { CancelReply, OpenedSession, SessionResult, SessionState } from '../protocol/session';
import type { DecidedBy, ResolveCreate } from '../protocol/resolution';
import type { StateHistoryEntry } from '../protocol/recorded';
import { MESSAGES } from '../protocol/names';
import { cancelAndWait, type CancelOptions } from './calls/cancelling';
import { callEngine } from './calls/engine-errors';
import { awaitOpened } from './calls/opening';
import type { SessionCalls } from './calls/session-calls';
import { resolutionOf } from './resolution';

/**
 * One payment session, by its key. Every method throws `PaysessionError`: `SESSION_NOT_FOUND` for an unknown key,
 * `ENGINE_UNAVAILABLE` when the Temporal server does not answer, `WORKER_UNAVAILABLE` when no worker does: within two
 * seconds where none polls the session's task queue.
 */
export class PaymentSessionHandle {
  readonly key: string;

  /** `PaymentSessions` makes handles. */
  constructor(private readonly calls: SessionCalls) {
    this.key = calls.key;
  }

  get workflowId(): string {
    return this.calls.workflowId;
  }

  /**
   * Waits until the session is created at the service. Throws `SESSION_STILL_OPENING` after the open timeout,
   * `CREATE_OUTCOME_UNKNOWN` when it is parked, the session's own error code when it failed, and `SESSION_NOT_OPENED`
   * when it was cancelled first.
   */
  async opened(): Promise<OpenedSession> {
    return callEngine(this.key, () => awaitOpened(this.calls));
  }

  /**
   * Asks for a cancel and returns once the engine holds it: it will reach the service. Nothing happens to an ended
   * session; one that was terminated from outside throws `SESSION_TERMINATED`.
   */
  async cancel(): Promise<void> {
    return callEngine(this.key, () => this.calls.signalCancel());
  }

  /**
   * Cancels and waits for what became of it: `cancelled`, `alreadyEnded`, `lostToCompletion` and so on. A repetition with
   * the same `requestId` gets the first one's answer. Throws `CANCEL_PENDING` when the answer takes too long, or there is no
   * worker to give it: the cancel goes on.
   */
  async cancelAndWait(options: CancelOptions = {}): Promise<CancelReply> {
    return callEngine(this.key, () => cancelAndWait(this.calls, options));
  }

  /**
   * Polls the service at once, for instance after the checkout page's `SUCCESS` or `EXIT`; answers with the state then.
   * Callers who ask while a refresh of the session is under way share the next one.
   */
  async refresh(): Promise<SessionState> {
    return callEngine(this.key, () => this.calls.refresh());
  }

  /**
   * Settles a create whose outcome is unknown. Throws `INVALID_INPUT` when none is waiting, and before anything is sent when
   * the answer is none: its `sessionId` must be one of the payment service, a UUID.
   */
  async resolveCreate(answer: ResolveCreate, decidedBy: DecidedBy = {}): Promise<SessionState> {
    const argument = resolutionOf(this.calls.client, answer, decidedBy);
    return callEngine(this.key, () =>
      this.calls.update<SessionState>(MESSAGES.resolveCreate, { argument }, ({ state }) => state),
    );
  }

  /** What the session is doing now; of an ended session also when no worker runs. */
  async state(): Promise<SessionState> {
    return callEngine(this.key, () => this.calls.state());
  }

  /** Every state the session was seen in, oldest first; of an ended session also when no worker runs. */
  async stateHistory(): Promise<readonly StateHistoryEntry[]> {
    return callEngine(this.key, () => this.calls.stateHistory());
  }

  /** Waits for the end. `Completed`, `Failed`, `Cancelled` and `Expired` are results; throws `SessionFailedError` otherwise. */
  async result(): Promise<SessionResult> {
    return callEngine(this.key, () => this.calls.result());
  }
}
