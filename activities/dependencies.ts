import type { PacedService } from '../src/service';
import type { SessionState } from '../src/protocol/state/session';
import type { ClaimResult } from '../src/protocol/activities';
import type { ActivityCompletion } from './activity-attempt';
import type { ChangeListener, PollTracer } from './follow-session';
import type { HeldSessions } from './held-sessions';
import type { SessionLedger } from './ledger';

/** Finds the payment service of an account. Throws `PaysessionError` `UNKNOWN_ACCOUNT` if the worker does not have the account. */
export type ServiceDirectory = (account: string) => PacedService;

/** Reads a payment session's state by its key. Throws `PaysessionError`, for example `SESSION_NOT_FOUND`. */
export type StateReader = (key: string) => Promise<SessionState>;

/** Makes the session with this workflow id repeat its cancel earlier than planned. Must not throw. */
export type CancelResumer = (workflowId: string) => void;

/** Records and checks which key follows a session of the payment service. */
export interface Claims {
  /** Records that a session was created for a key. */
  created(sessionId: string, key: string): void;
  /** Checks if the session is free for a key at this moment. Claims nothing, and does not wait. */
  preview(sessionId: string, key: string): Promise<ClaimResult>;
  /**
   * Claims the session for a key unless another key has it or may have it. May wait up to about twenty seconds, for other
   * keys' answers and for Temporal's visibility index.
   */
  claim(sessionId: string, key: string): Promise<ClaimResult>;
}

/** Options of a worker's activities. */
export interface ActivitiesOptions {
  /** Finds the payment service of an account. */
  readonly serviceOf: ServiceDirectory;
  /** Reads another session's state, for `readPaymentSession` in workflows. */
  readonly readState: StateReader;
  /** Records that a create request is about to be sent, and delivers results: `client.activity`. */
  readonly completion: ActivityCompletion;
  /**
   * True if the worker is stopping. If the Temporal server is away, the worker then tries to deliver a create's result for
   * at most ten seconds, otherwise for up to a day. @default always false
   */
  readonly isStopping?: () => boolean;
  /**
   * Called when the service is back, for sessions whose cancels failed while the service was down. @default the cancels
   * wait for their back-off
   */
  readonly resumeCancel?: CancelResumer;
  /**
   * Makes sure that only one key follows a session of the payment service. @default a session that a person names is
   * adopted unless the ledger has it under another key
   */
  readonly claims?: Claims;
  /** Keeps the records of sessions for longer than the Temporal server does. @default none */
  readonly ledger?: SessionLedger;
  /** Holds sessions between polls that are seconds or minutes apart. @default each poll is an attempt of its own */
  readonly held?: HeldSessions;
  /** Returns milliseconds since the epoch. @default the machine's clock */
  readonly now?: () => number;
  /** Called for each change of a session that the activity `followSession` finds. @default changes are not reported */
  readonly onChange?: ChangeListener;
  /** Traces the polls of the activity `followSession`. @default not traced */
  readonly tracePoll?: PollTracer | undefined;
}
