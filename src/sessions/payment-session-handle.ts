import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { ERROR_CODES, isPaysessionError } from '../errors';
import { sharedUpdateId } from '../protocol/shared-update';
import { MESSAGES } from '../protocol/names';
import type { CancelReply, OpenedSession, SessionResult, SessionState } from '../protocol/session';
import type { DecidedBy, ResolveCreate } from '../protocol/resolution';
import type { StateHistoryEntry } from '../protocol/recorded';
import { toSessionFailed, type EndedSession } from './ended-session';
import { callEngine, failed, isTimeout, refusalCode } from './calls/engine-errors';
import { assertResolution, defaultDecider } from './resolution';
import { SessionCalls } from './calls/session-calls';
import { SessionFailedError } from './session-errors';
import { sharedByKey, type SharedByKey } from './calls/shared-calls';
import { UnattendedError } from './calls/unattended-error';
import { within } from './calls/within';

/** How long calls of a handle wait, in milliseconds. */
export interface HandleTimeouts {
  readonly openTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly updateTimeoutMs: number;
}

/** Options of `cancelAndWait`. */
export interface CancelOptions {
  /** How long to wait for the answer, in milliseconds. @default `updateTimeoutMs` of `PaymentSessions` */
  readonly timeoutMs?: number;
  /** Your own id for this cancel. @default a new one */
  readonly requestId?: string;
}

/** A session is parked a few times at most while callers wait for it. */
const MAX_PARKS = 20;

/**
 * One payment session, by its key. Every method throws `PaysessionError`: `SESSION_NOT_FOUND` for an unknown key,
 * `ENGINE_UNAVAILABLE` when the Temporal server does not answer, `WORKER_UNAVAILABLE` when no worker does: within two
 * seconds where none polls the session's task queue.
 */
export class PaymentSessionHandle {
  private readonly calls: SessionCalls;

  constructor(
    private readonly client: Client,
    /** The session's key. */
    readonly key: string,
    private readonly timeouts: HandleTimeouts,
    private readonly shared: SharedByKey = sharedByKey(),
  ) {
    this.calls = new SessionCalls(client, key);
  }

  /** The id of the session's workflow: `payment-session/` and the key. */
  get workflowId(): string {
    return this.calls.workflowId;
  }

  /**
   * Waits until the session is created at the service. Throws `SESSION_STILL_OPENING` after the open timeout,
   * `CREATE_OUTCOME_UNKNOWN` when it is parked, the session's own error code when it failed, and `SESSION_NOT_OPENED`
   * when it was cancelled first.
   *
   * @example
   * ```ts
   * const { checkoutUrl } = await session.opened();
   * ```
   */
  async opened(): Promise<OpenedSession> {
    return this.openedBefore(Date.now() + this.timeouts.openTimeoutMs);
  }

  /** @internal */
  async openedBefore(endsAtMs: number): Promise<OpenedSession> {
    for (let park = 0; ; park += 1) {
      // A query costs the session nothing: a page may ask again and again.
      const state = await this.stateWithin(Math.min(leftUntil(endsAtMs), this.timeouts.queryTimeoutMs));
      if (state.phase !== 'creating' || park === MAX_PARKS) return openedFrom(state);
      try {
        return await this.whileOpening(() => this.untilOpened(endsAtMs, park));
      } catch (error) {
        // It is parked, or was when others asked before: their update is settled for good.
        if (!isPaysessionError(error, 'CREATE_OUTCOME_UNKNOWN')) throw error;
      }
    }
  }

  /** Waits with all who ask at this time; those who come after a park need another update. */
  private untilOpened(endsAtMs: number, park: number): Promise<OpenedSession> {
    const updateId = sharedUpdateId(park === 0 ? undefined : park);
    const options = { timeoutMs: leftUntil(endsAtMs), updateId };
    return this.calls.update<OpenedSession>(MESSAGES.awaitOpened, options, ({ state }) => openedFrom(state));
  }

  /** Runs a call that waits for the session to open; tells of one that took too long. @internal */
  async whileOpening<T>(call: () => Promise<T>): Promise<T> {
    return callEngine(this.key, async () => {
      try {
        return await call();
      } catch (error) {
        if (!isTimeout(error) && refusalCode(error) !== 'SESSION_BUSY') throw error;
        throw failed((await this.isStarted()) ? 'SESSION_STILL_OPENING' : 'ENGINE_UNAVAILABLE', error);
      }
    });
  }

  /** Whether the engine has the session at all. */
  private async isStarted(): Promise<boolean> {
    try {
      await within(this.client, this.timeouts.queryTimeoutMs, () => this.calls.workflow.describe());
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || isTimeout(error)) return false;
      throw error;
    }
  }

  /**
   * Asks for a cancel and returns once the engine holds it: it will reach the service. Nothing happens to an ended
   * session; one that was terminated from outside throws `SESSION_TERMINATED`.
   *
   * @example
   * ```ts
   * await session.cancel();
   * ```
   */
  async cancel(): Promise<void> {
    await callEngine(this.key, () =>
      this.calls.runningOrEnded(
        () => this.calls.workflow.signal(MESSAGES.cancel),
        () => undefined,
      ),
    );
  }

  /**
   * Cancels and waits for what became of it: `cancelled`, `alreadyEnded`, `lostToCompletion` and so on. A repetition with
   * the same `requestId` gets the first one's answer. Throws `CANCEL_PENDING` when the answer takes too long, or there is no
   * worker to give it: the cancel goes on.
   *
   * @example
   * ```ts
   * const { outcome } = await session.cancelAndWait({ requestId: 'cancel-order-1042' });
   * if (outcome === 'lostToCompletion') console.log('The payor was faster.');
   * ```
   */
  async cancelAndWait({ requestId, timeoutMs }: CancelOptions = {}): Promise<CancelReply> {
    let isHeld = false;
    const options = {
      updateId: requestId,
      timeoutMs: timeoutMs ?? this.timeouts.updateTimeoutMs,
      onSentAway: () => {
        isHeld = true;
      },
    };
    const fromEnd = ({ state }: EndedSession): CancelReply => {
      const outcome = isHeld ? state.cancel?.outcome : undefined;
      return { outcome: outcome ?? 'alreadyEnded', state };
    };
    return callEngine(this.key, async () => {
      try {
        return await this.calls.update<CancelReply>(MESSAGES.cancelAndWait, options, fromEnd);
      } catch (error) {
        if (!isTimeout(error) && !(error instanceof UnattendedError)) throw error;
        // An update that no worker has taken is lost with its caller; a signal is not.
        await this.cancel();
        throw failed('CANCEL_PENDING', error);
      }
    });
  }

  /**
   * Polls the service at once, for instance after the checkout page's `SUCCESS` or `EXIT`; answers with the state then.
   * Callers who ask while a refresh of the session is under way share the next one.
   *
   * @example
   * ```ts
   * const { paid } = await session.refresh();
   * ```
   */
  async refresh(): Promise<SessionState> {
    const { updateTimeoutMs: timeoutMs } = this.timeouts;
    const refresh = () =>
      within(this.client, timeoutMs, () =>
        this.calls.update<SessionState>(MESSAGES.refresh, { timeoutMs }, ({ state }) => state),
      );
    return callEngine(this.key, () =>
      within(this.client, timeoutMs, () => this.shared.refreshes.run(this.key, refresh)),
    );
  }

  /**
   * Settles a create whose outcome is unknown. Throws `INVALID_INPUT` when none is waiting, and before anything is sent when
   * the answer is none: its `sessionId` must be one of the payment service, a UUID.
   *
   * @example
   * ```ts
   * await session.resolveCreate({ retry: true }, { by: 'Sam', reason: 'not in the list' });
   * ```
   */
  async resolveCreate(answer: ResolveCreate, { by, reason }: DecidedBy = {}): Promise<SessionState> {
    const argument = {
      by: defaultDecider(this.client),
      ...answer,
      ...(by !== undefined && { by }),
      ...(reason !== undefined && { reason }),
    };
    assertResolution(argument);
    const options = { argument, timeoutMs: this.timeouts.updateTimeoutMs };
    return callEngine(this.key, () =>
      this.calls.update<SessionState>(MESSAGES.resolveCreate, options, ({ state }) => state),
    );
  }

  /**
   * What the session is doing now; of an ended session also when no worker runs.
   *
   * @example
   * ```ts
   * const { phase, status, code, paid } = await session.state();
   * ```
   */
  async state(): Promise<SessionState> {
    return this.stateWithin(this.timeouts.queryTimeoutMs);
  }

  private async stateWithin(timeoutMs: number): Promise<SessionState> {
    // Its own time, whoever asks for it first: those who share it may have longer.
    const { queryTimeoutMs } = this.timeouts;
    const look = () =>
      within(this.client, queryTimeoutMs, () =>
        this.calls.query<SessionState>(MESSAGES.state, queryTimeoutMs, ({ state }) => state),
      );
    return callEngine(this.key, () =>
      within(this.client, timeoutMs, () => this.shared.states.run(this.key, look)),
    );
  }

  /**
   * Every state the session was seen in, oldest first; of an ended session also when no worker runs.
   *
   * @example
   * ```ts
   * for (const { status, firstSeenAt } of await session.stateHistory()) console.log(firstSeenAt, status);
   * ```
   */
  async stateHistory(): Promise<readonly StateHistoryEntry[]> {
    const { queryTimeoutMs } = this.timeouts;
    return callEngine(this.key, () =>
      this.calls.query(MESSAGES.stateHistory, queryTimeoutMs, ({ stateHistory }) => stateHistory),
    );
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
    return callEngine(this.key, async () => {
      try {
        return await this.calls.workflow.result();
      } catch (error) {
        throw toSessionFailed(this.key, error) ?? error;
      }
    });
  }
}

const leftUntil = (endsAtMs: number): number => Math.max(0, endsAtMs - Date.now());

function openedFrom({ key, phase, sessionId, checkoutUrl, failure }: SessionState): OpenedSession {
  if (sessionId !== undefined && checkoutUrl !== undefined) return { sessionId, checkoutUrl };
  const code = phase === 'parked' ? 'CREATE_OUTCOME_UNKNOWN' : 'SESSION_NOT_OPENED';
  throw new SessionFailedError(key, failure ?? { code, message: ERROR_CODES[code].meaning });
}
