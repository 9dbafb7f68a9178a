import type { PacedService } from '../src/service';
import type { SessionState } from '../src/protocol/state/session';
import type { ClaimResult } from '../src/protocol/activities';
import type { ActivityCompletion } from './activity-attempt';
import type { ChangeListener, PollTracer } from './follow-session';
import type { HeldSessions } from './held-sessions';
import type { SessionLedger } from './ledger';

/**
 * Returns the payment service of an account. Throws `PaysessionError` `UNKNOWN_ACCOUNT` if the worker does not have the account.
 */
export type ServiceDirectory = (account: string) => PacedService;

/** Reads a payment session's state by its key. Throws `PaysessionError`, for example `SESSION_NOT_FOUND`. */
export type StateReader = (key: string) => Promise<SessionState>;

/** Makes the session with this workflow id repeat its cancel request now, before the planned time. Must not throw. */
export type CancelResumer = (workflowId: string) => void;

/** Records and checks which key follows a session of the payment service. */
export interface Claims {
  /** Records that a session was created for a key. */
  created(sessionId: string, key: string): void;
  /** Checks whether the key could claim the session at this moment. Claims nothing, and does not wait. */
  preview(sessionId: string, key: string): Promise<ClaimResult>;
  /**
   * Claims the session for a key. Claims nothing if another key has the session or may have it. May take up to about twenty
   * seconds, because it waits until that is clear, and until Temporal's visibility index shows the claim.
   */
  claim(sessionId: string, key: string): Promise<ClaimResult>;
}

/** Options of `createActivities`, which creates a worker's activities. */
export interface ActivitiesOptions {
  /** Returns the payment service of an account. */
  readonly serviceOf: ServiceDirectory;
  /** Reads a session's state by its key, for `readPaymentSession` in workflows. */
  readonly readState: StateReader;
  /** Sends heartbeats and results to the Temporal server, and waits for the server's answers. Pass `client.activity`. */
  readonly completion: ActivityCompletion;
  /**
   * True if the worker is stopping. If the Temporal server does not answer, the worker tries to deliver a create's result for up
   * to a day, but for at most ten seconds if the worker is stopping.
   * @default always false
   */
  readonly isStopping?: () => boolean;
  /**
   * Called when the service answers again after an outage, once for each session whose cancel failed during the outage.
   * @default these cancels are repeated at their planned time
   */
  readonly resumeCancel?: CancelResumer;
  /**
   * Ensures that only one key follows a session of the payment service. Used if an operator names the session for a key.
   * @default only the ledger is asked whether another key has the session. Without a ledger, nothing is checked
   */
  readonly claims?: Claims;
  /** The ledger, which keeps records of sessions for longer than the Temporal server does. @default none */
  readonly ledger?: SessionLedger;
  /**
   * Holds sessions, which means that it keeps them in memory between polls that are seconds or minutes apart.
   * @default each poll is a separate attempt of the activity
   */
  readonly held?: HeldSessions;
  /** Returns milliseconds since the epoch. @default the machine's clock */
  readonly now?: () => number;
  /** Called for each change of a session that the activity `followSession` sees. @default not called */
  readonly onChange?: ChangeListener;
  /** Traces the polls of the activity `followSession`. @default not traced */
  readonly tracePoll?: PollTracer | undefined;
}
