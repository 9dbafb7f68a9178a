/** What callers learn of a payment session: its state, its result and the answers to messages. */
import type { SessionKind } from '../contract/kinds';
import type { ReportedCode, ReportedStatus } from '../contract/statuses';
import type { SessionFailure } from '../errors/failures';
import type { PaymentSessionInput } from './input';
import type { Anomaly, CancelOutcome, CancelRecord, Decision, SessionPhase, StateHistoryEntry, Trouble } from './recorded';

/** The workflow function, as callers start it. */
export type PaymentSessionWorkflow = (input: PaymentSessionInput) => Promise<SessionResult>;

/** What `state` and the result have in common. */
interface KnownSession {
  readonly key: string;
  readonly kind: SessionKind;
  readonly referenceId: string | null;
  /** Absent for e-Transfer sessions, and until one could be read. */
  readonly code?: ReportedCode;
  /** Dollars; absent until it is known. */
  readonly amount?: number;
  readonly cancel?: CancelRecord;
  /** The bank account was validated but the PAD agreement was not signed before its deadline. */
  readonly unsigned?: true;
  readonly anomalies: readonly Anomaly[];
  /** What people decided about a create whose outcome was unknown, oldest first. */
  readonly decisions: readonly Decision[];
}

/** Answer of the `state` query. */
export interface SessionState extends KnownSession {
  readonly phase: SessionPhase;
  /**
   * Whether the payment is made: `Completed`/`EFT0301`, or `Completed` for e-Transfer, which has no codes. No other
   * `Completed` is paid.
   */
  readonly paid: boolean;
  readonly status?: ReportedStatus;
  readonly sessionId?: string;
  readonly checkoutUrl?: string;
  /** The last failed call, while calls are failing. */
  readonly trouble?: Trouble;
  /** Why the workflow failed; only in phase `ended`. */
  readonly failure?: SessionFailure;
}

/**
 * The workflow's result: how the session ended. Check `paid` before you deliver anything: a `Completed` alone may lack the
 * payor's signature, or a detail code that says what it means.
 */
export type SessionResult = PaidSession | UnpaidSession;

/** The payment is made. */
export interface PaidSession extends KnownSession {
  readonly paid: true;
  readonly status: 'Completed';
  readonly sessionId: string;
  readonly checkoutUrl: string;
  readonly stateHistory: readonly StateHistoryEntry[];
}

/**
 * The payment is not made, or nobody can tell. A `Completed` here is unsigned (`unsigned`), or its detail code is missing,
 * unknown or unreadable (`anomalies`): then someone must look the payment up at the payment service.
 */
export interface UnpaidSession extends KnownSession {
  readonly paid: false;
  readonly status: ReportedStatus;
  readonly sessionId?: string;
  readonly checkoutUrl?: string;
  readonly stateHistory: readonly StateHistoryEntry[];
}

/** Answer of `awaitOpened`: where to send the payor. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly checkoutUrl: string;
}

/** Answer of `cancelAndWait`. */
export interface CancelReply {
  readonly outcome: CancelOutcome;
  readonly state: SessionState;
}

/** First detail of the failure that ends the workflow, so that a failed session can still be read when no worker runs. */
export interface FailureDetails {
  readonly state: SessionState;
  readonly stateHistory: readonly StateHistoryEntry[];
}
