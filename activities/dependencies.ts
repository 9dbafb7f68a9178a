import type { PacedService } from '../src/service';
import type { SessionState } from '../src/protocol/state/session';
import type { ClaimResult } from '../src/protocol/activities';
import type { ActivityCompletion } from './activity-attempt';
import type { ChangeListener, PollTracer } from './follow-session';
import type { HeldSessions } from './held-sessions';
import type { SessionLedger } from './ledger';

/** Finds the payment service of an account. Throws `PaysessionError` `UNKNOWN_ACCOUNT`, or `INVALID_SETTINGS` for a malformed account. */
export type ServiceDirectory = (account: string) => PacedService;

/** Reads a payment session's state by its key. Throws `PaysessionError` `SESSION_NOT_FOUND`. */
export type StateReader = (key: string) => Promise<SessionState>;

/** Makes the cancellation of the session with this workflow id continue at once. Must not throw. */
export type CancelResumer = (workflowId: string) => void;

/** Knows which key follows a session of the payment service. */
export interface Claims {
  /** Records that a session was created for a key. */
  created(sessionId: string, key: string): void;
  /** Checks if the session is free for a key at this moment. Claims nothing, and does not wait. */
  preview(sessionId: string, key: string): Promise<ClaimResult>;
  /** Claims the session for a key, and waits for the answers of other keys that may have it. */
  claim(sessionId: string, key: string): Promise<ClaimResult>;
}

/** Options of a worker's activities. */
export interface ActivitiesOptions {
  /** Finds the payment service of an account. */
  readonly serviceOf: ServiceDirectory;
  /** Reads another session's state, for `readPaymentSession` in workflows. */
  readonly readState: StateReader;
  /** Records that a create request is about to be sent, before it is, and delivers its result: `client.activity`. */
  readonly completion: ActivityCompletion;
  /**
   * True if the worker is stopping. The result of a create request is then delivered for ten seconds at most,
   * otherwise for as long as the Temporal server is away, up to a day. @default always false
   */
  readonly isStopping?: () => boolean;
  /**
   * Called once the service is back, for each session whose cancel failed while the service was down. @default the
   * cancels wait for their back-off
   */
  readonly resumeCancel?: CancelResumer;
  /**
   * Makes sure that only one key follows a session of the payment service. @default any session that a person names
   * is adopted
   */
  readonly claims?: Claims;
  /** Keeps the records of sessions for longer than the Temporal server does. @default none */
  readonly ledger?: SessionLedger;
  /** Holds sessions between polls that are seconds or minutes apart. @default each poll is an attempt of its own */
  readonly held?: HeldSessions;
  /** Returns milliseconds since the epoch. @default the machine's clock */
  readonly now?: () => number;
  /** Receives each change of a session's state that a poll has shown. */
  readonly onChange?: ChangeListener;
  /** Traces the polls of sessions that are followed. @default not traced */
  readonly tracePoll?: PollTracer | undefined;
}
