import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError, type Client, type WorkflowHandle } from '@temporalio/client';
import { ERROR_CODES } from '../errors';
import {
  MESSAGES,
  WORKFLOW_ID_PREFIX,
  type CancelReply,
  type OpenedSession,
  type ResolveCreate,
  type SessionResult,
  type SessionState,
  type StateHistoryEntry,
} from '../../workflows/protocol';
import type { PaymentSessionWorkflow } from '../../workflows/session';
import { readEnded, toSessionFailed, type EndedSession } from './ended-session';
import { callEngine, failed, isTimeout, refusalCode } from './engine-errors';
import { repeatingUpdate } from './repeat-update';
import { SessionFailedError } from './session-errors';
import { within } from './within';

/** How long calls of a handle wait, in milliseconds. */
export interface HandleTimeouts {
  readonly openTimeoutMs: number;
  readonly queryTimeoutMs: number;
  readonly updateTimeoutMs: number;
}

interface UpdateOptions {
  readonly argument?: ResolveCreate;
  /** @default the handle's update timeout */
  readonly timeoutMs?: number | undefined;
  /** @default a new one */
  readonly updateId?: string | undefined;
  /** Called when the session took the update, but not to its end: it is asked anew. */
  readonly onSentAway?: () => void;
}

export interface CancelOptions {
  /** How long to wait for the answer, in milliseconds. @default `updateTimeoutMs` of `PaymentSessions` */
  readonly timeoutMs?: number;
  /** Your own id for this cancel. @default a new one */
  readonly requestId?: string;
}

/**
 * One payment session, by its key. Every method throws `PaysessionError`: `SESSION_NOT_FOUND` for an unknown key,
 * `ENGINE_UNAVAILABLE` when the Temporal server does not answer, `WORKER_UNAVAILABLE` when no worker does.
 */
export class PaymentSessionHandle {
  readonly workflowId: string;
  private readonly workflow: WorkflowHandle<PaymentSessionWorkflow>;

  constructor(
    private readonly client: Client,
    readonly key: string,
    private readonly timeouts: HandleTimeouts,
  ) {
    this.workflowId = `${WORKFLOW_ID_PREFIX}${key}`;
    this.workflow = client.workflow.getHandle<PaymentSessionWorkflow>(this.workflowId);
  }

  /**
   * Waits until the session is created at the service. Throws `SESSION_STILL_OPENING` after the open timeout,
   * `CREATE_OUTCOME_UNKNOWN` when it is parked, the session's own error code when it failed, and `SESSION_NOT_OPENED`
   * when it was cancelled first.
   */
  async opened(): Promise<OpenedSession> {
    return this.whileOpening(async () => {
      const timeoutMs = this.timeouts.openTimeoutMs;
      const opened = () => this.update<OpenedSession>(MESSAGES.awaitOpened, { timeoutMs });
      return this.runningOrEnded(opened, ({ state }) => openedFrom(state));
    });
  }

  /**
   * Asks for a cancel and returns once the engine holds it: it will reach the service. Nothing happens to an ended
   * session; one that was terminated from outside throws `SESSION_TERMINATED`.
   */
  async cancel(): Promise<void> {
    await callEngine(this.key, () =>
      this.runningOrEnded(
        () => this.workflow.signal(MESSAGES.cancel),
        () => undefined,
      ),
    );
  }

  /**
   * Cancels and waits for what became of it: `cancelled`, `alreadyEnded`, `lostToCompletion` and so on. A repetition with
   * the same `requestId` gets the first one's answer. Throws `CANCEL_PENDING` when the answer takes too long: the cancel
   * goes on.
   */
  async cancelAndWait({ requestId, timeoutMs }: CancelOptions = {}): Promise<CancelReply> {
    let isHeld = false;
    const onSentAway = (): void => {
      isHeld = true;
    };
    const options = { onSentAway, updateId: requestId, timeoutMs };
    const cancel = () => this.update<CancelReply>(MESSAGES.cancelAndWait, options);
    return callEngine(this.key, () =>
      this.runningOrEnded(cancel, ({ state }) => {
        const outcome = isHeld ? state.cancel?.outcome : undefined;
        return { outcome: outcome ?? 'alreadyEnded', state };
      }).catch(async (error: unknown) => {
        if (!isTimeout(error)) throw error;
        // An update that no worker has taken is lost with its caller; a signal is not.
        await this.cancel();
        throw failed('CANCEL_PENDING', error);
      }),
    );
  }

  /** Polls the service at once, for instance after the checkout page's `SUCCESS` or `EXIT`; answers with the state then. */
  async refresh(): Promise<SessionState> {
    const refresh = () => this.update<SessionState>(MESSAGES.refresh);
    return callEngine(this.key, () => this.runningOrEnded(refresh, ({ state }) => state));
  }

  /** Settles a create whose outcome is unknown. Throws `INVALID_INPUT` when none is waiting. */
  async resolveCreate(answer: ResolveCreate): Promise<SessionState> {
    const resolve = () => this.update<SessionState>(MESSAGES.resolveCreate, { argument: answer });
    return callEngine(this.key, () => this.runningOrEnded(resolve, ({ state }) => state));
  }

  /** What the session is doing now; of an ended session also when no worker runs. */
  async state(): Promise<SessionState> {
    return this.query<SessionState>(MESSAGES.state, ({ state }) => state);
  }

  /** Every state the session was seen in, oldest first; of an ended session also when no worker runs. */
  async stateHistory(): Promise<readonly StateHistoryEntry[]> {
    return this.query(MESSAGES.stateHistory, ({ stateHistory }) => stateHistory);
  }

  /** Waits for the end. `Completed`, `Failed`, `Cancelled` and `Expired` are results; throws `SessionFailedError` otherwise. */
  async result(): Promise<SessionResult> {
    return callEngine(this.key, async () => {
      try {
        return await this.workflow.result();
      } catch (error) {
        throw toSessionFailed(this.key, error) ?? error;
      }
    });
  }

  /** Runs a call within the open timeout. @internal */
  async whileOpening<T>(call: () => Promise<T>): Promise<T> {
    return callEngine(this.key, async () => {
      try {
        return await within(this.client, this.timeouts.openTimeoutMs, call);
      } catch (error) {
        if (!isTimeout(error) && refusalCode(error) !== 'SESSION_BUSY') throw error;
        throw failed((await this.isStarted()) ? 'SESSION_STILL_OPENING' : 'ENGINE_UNAVAILABLE', error);
      }
    });
  }

  /** Whether the engine has the session at all. */
  private async isStarted(): Promise<boolean> {
    try {
      await within(this.client, this.timeouts.queryTimeoutMs, () => this.workflow.describe());
      return true;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || isTimeout(error)) return false;
      throw error;
    }
  }

  /** An ended session is read from what the engine keeps, so that no worker is needed. */
  private async query<T>(name: string, fromEnd: (ended: EndedSession) => T): Promise<T> {
    return callEngine(this.key, async () => {
      const ended = await readEnded(this.key, this.workflow);
      if (ended !== undefined) return fromEnd(ended);
      return within(this.client, this.timeouts.queryTimeoutMs, () => this.workflow.query<T>(name));
    });
  }

  private update<T>(name: string, options: UpdateOptions = {}): Promise<T> {
    const {
      argument,
      onSentAway,
      updateId: id = randomUUID(),
      timeoutMs = this.timeouts.updateTimeoutMs,
    } = options;
    const send = (updateId: string) =>
      argument === undefined
        ? this.workflow.executeUpdate<T, []>(name, { updateId })
        : this.workflow.executeUpdate<T, [ResolveCreate]>(name, { args: [argument], updateId });
    return within(this.client, timeoutMs, () => repeatingUpdate(id, send, onSentAway));
  }

  /** The engine answers "not found" for messages to an ended session as well as for an unknown one. */
  private async runningOrEnded<T>(call: () => Promise<T>, fromEnd: (ended: EndedSession) => T): Promise<T> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      const ended = await readEnded(this.key, this.workflow);
      if (ended === undefined) throw error;
      return fromEnd(ended);
    }
  }
}

function openedFrom({ key, sessionId, checkoutUrl, failure }: SessionState): OpenedSession {
  if (sessionId !== undefined && checkoutUrl !== undefined) return { sessionId, checkoutUrl };
  const code = 'SESSION_NOT_OPENED';
  throw new SessionFailedError(key, failure ?? { code, message: ERROR_CODES[code].meaning });
}
