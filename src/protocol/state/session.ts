/** The shapes of a payment session that callers receive: its state, its result and the answers to messages. */
import type { ReportedCode, ReportedStatus, SessionKind } from '../../contract/statuses';
import type { SessionFailure } from '../../errors/failures';
import type {
  Anomaly,
  CancelOutcome,
  CancelRecord,
  Decision,
  Park,
  SessionPhase,
  StateHistoryEntry,
  Trouble,
} from './recorded';
import type { PaymentSessionInput } from '../input';

/** The workflow function, as callers start it. */
export type PaymentSessionWorkflow = (input: PaymentSessionInput) => Promise<SessionResult>;

/** Fields that {@link SessionState} and {@link SessionResult} share. */
interface KnownSession {
  /** The caller's own key. */
  readonly key: string;
  /** `EFT`, `GEFT` (guaranteed EFT) or `e-Transfer`. */
  readonly kind: SessionKind;
  /** The request's `referenceId`; `null` where it has none. */
  readonly referenceId: string | null;
  /** Absent for e-Transfer sessions, and until one could be read. */
  readonly code?: ReportedCode;
  /** Dollars; absent until it is known. */
  readonly amount?: number;
  /** The cancellation that was requested, and its outcome. */
  readonly cancel?: CancelRecord;
  /** The bank account was validated but the PAD agreement was not signed before its deadline. */
  readonly unsigned?: true;
  /**
   * True if the session ended at its deadline and the payment service could not be polled after it, so the payment is neither
   * confirmed nor ruled out. Look the payment up at the payment service before you deliver or release.
   */
  readonly unverified?: true;
  /** The service's breaches of its contract, oldest first. */
  readonly anomalies: readonly Anomaly[];
  /** People's decisions about the session, oldest first. */
  readonly decisions: readonly Decision[];
  /** When it waited for such a decision, oldest first; absent where it never did. */
  readonly parks?: readonly Park[];
}

/** Answer of the `state` query. */
export interface SessionState extends KnownSession {
  /** The phase of the session's life. */
  readonly phase: SessionPhase;
  /** Counts the changes of what a caller sees of the session; absent where it is read from a result. */
  readonly revision?: number;
  /**
   * True if the payor has done all that the payment needs. For an EFT this is `Completed`/`EFT0301`: the transaction is scheduled.
   * For an e-Transfer, which has no codes, it is `Completed`. No other `Completed` is paid. The money has not arrived yet: a
   * regular EFT can come back afterwards, and the payment service's sessions do not show that.
   */
  readonly paid: boolean;
  /** The status that the service last reported; absent until the session is created. */
  readonly status?: ReportedStatus;
  /** The payment service's id of the session, a UUID; absent until it is created. */
  readonly sessionId?: string;
  /** Where to send the payor; absent until the session is created. */
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

/**
 * Result of a paid session: the transaction is scheduled. A regular EFT can still come back, for insufficient funds or a dispute;
 * the session does not show that.
 */
export interface PaidSession extends KnownSession {
  /** Deliver only where this is true. */
  readonly paid: true;
  /** The status at the end. */
  readonly status: 'Completed';
  /** The payment service's id of the session, a UUID. */
  readonly sessionId: string;
  /** Where the payor was sent. */
  readonly checkoutUrl: string;
  /** Every state that the session was seen in, oldest first. */
  readonly stateHistory: readonly StateHistoryEntry[];
}

/**
 * Result of a session that is not paid, or not known to be.
 *
 * A `Completed` here is unsigned (`unsigned`), its detail code is missing, unknown or unreadable (`anomalies`), or the payment
 * service could not be polled after the deadline (`unverified`). In the last two cases a person must look the payment up at the
 * payment service.
 */
export interface UnpaidSession extends KnownSession {
  /** Do not deliver. */
  readonly paid: false;
  /** The status at the end. */
  readonly status: ReportedStatus;
  /** The payment service's id of the session, a UUID; absent where it was never created. */
  readonly sessionId?: string;
  /** Where the payor was sent; absent where the session was never created. */
  readonly checkoutUrl?: string;
  /** Every state that the session was seen in, oldest first. */
  readonly stateHistory: readonly StateHistoryEntry[];
}

/** Answer of `awaitOpened`: where to send the payor. */
export interface OpenedSession {
  /** The payment service's id of the session, a UUID. */
  readonly sessionId: string;
  /** The payor's page at the payment service. */
  readonly checkoutUrl: string;
}

/** Answer of `cancelAndWait`. */
export interface CancelReply {
  /** The outcome of the cancellation. */
  readonly outcome: CancelOutcome;
  /** The session's state after it. */
  readonly state: SessionState;
}

/** Answer of `recordReveal`. */
export interface RevealReply {
  /** True if the session's record holds the reveal. False if the session has ended, or the record is full. */
  readonly kept: boolean;
  /** The session's state after it. */
  readonly state: SessionState;
}

/** First detail of the failure that ends the workflow, so that a failed session can still be read when no worker runs. */
export interface FailureDetails {
  readonly state: SessionState;
  readonly stateHistory: readonly StateHistoryEntry[];
}
