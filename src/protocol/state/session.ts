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
  /** The request's `referenceId`; `null` if it has none, or if a state that was made from the ledger lacks it. */
  readonly referenceId: string | null;
  /** The detail code; absent if the service reported none with the status, as for e-Transfer sessions, or one that cannot be read. */
  readonly code?: ReportedCode;
  /** The amount in dollars; absent until it is known. */
  readonly amount?: number;
  /** The cancellation that was requested, and its outcome. */
  readonly cancel?: CancelRecord;
  /** True if the session ended because the PAD agreement was not signed before its deadline. */
  readonly unsigned?: true;
  /**
   * True if the session ended after its deadline and the payment service could not be polled since the deadline. The payment is then
   * neither confirmed nor ruled out: look the payment up at the payment service before you deliver or release.
   */
  readonly unverified?: true;
  /** Observations that the contract does not foresee, oldest first. */
  readonly anomalies: readonly Anomaly[];
  /** People's decisions about the session, oldest first. */
  readonly decisions: readonly Decision[];
  /** The session's waits for a decision about a create request, oldest first; absent if it never waited. */
  readonly parks?: readonly Park[];
}

/** The state of a session: the answer of {@link PaymentSessionHandle.state}. */
export interface SessionState extends KnownSession {
  /** The phase of the session's life. */
  readonly phase: SessionPhase;
  /** Counts the changes of the session that a caller can see; absent if the state was made from a result or from the ledger. */
  readonly revision?: number;
  /**
   * True if the payor has done all that the payment needs. This is `Completed`/`EFT0301`: the transaction is scheduled. For an
   * e-Transfer, which should have no codes, it is also `Completed` without a code. Any other `Completed` is not known to be paid.
   * The money may still be on its way: a regular EFT can come back afterwards, and the payment service's sessions do not show
   * that.
   */
  readonly paid: boolean;
  /**
   * The last status that the service reported and that did not go backwards, or `Cancelled` if the session was cancelled before it
   * was created; absent while there is neither.
   */
  readonly status?: ReportedStatus;
  /** The payment service's id of the session, a UUID; absent until the session is created. */
  readonly sessionId?: string;
  /**
   * The payor's page at the payment service; absent until the session is created. A state that was made from the ledger may lack it.
   */
  readonly checkoutUrl?: string;
  /** The last failed call, while calls are failing. */
  readonly trouble?: Trouble;
  /** The failure of the workflow, if the session ended with one. */
  readonly failure?: SessionFailure;
}

/**
 * The workflow's result: the end of the session. Check `paid` before you deliver anything: a `Completed` alone may lack the payor's
 * signature, or a detail code that says whether it is paid.
 */
export type SessionResult = PaidSession | UnpaidSession;

/**
 * Result of a paid session: the payor has done all that the payment needs. An EFT is then scheduled. A regular EFT can still come
 * back, for insufficient funds or a dispute; the session does not show that.
 */
export interface PaidSession extends KnownSession {
  /** True: the session is paid. Deliver only if this is true. */
  readonly paid: true;
  /** The status at the end. */
  readonly status: 'Completed';
  /** The payment service's id of the session, a UUID. */
  readonly sessionId: string;
  /** The payor's page at the payment service. */
  readonly checkoutUrl: string;
  /** The states that the session was seen in, oldest first: the first 200. */
  readonly stateHistory: readonly StateHistoryEntry[];
}

/**
 * Result of a session that is not paid, or not known to be.
 *
 * A `Completed` here is unsigned (`unsigned`), its detail code is missing, unknown, unexpected or unreadable (`anomalies`), or the
 * payment service could not be polled after the deadline (`unverified`). Unless it is unsigned, a person must look the payment up at the
 * payment service.
 */
export interface UnpaidSession extends KnownSession {
  /** False: do not deliver. */
  readonly paid: false;
  /** The last known status; `Cancelled` if the session was cancelled before it was created. */
  readonly status: ReportedStatus;
  /** The payment service's id of the session, a UUID; absent if no created session is known. */
  readonly sessionId?: string;
  /** The payor's page at the payment service; absent if no created session is known. */
  readonly checkoutUrl?: string;
  /** The states that the session was seen in, oldest first: the first 200. */
  readonly stateHistory: readonly StateHistoryEntry[];
}

/** An opened session: the answer of {@link PaymentSessionHandle.opened}. */
export interface OpenedSession {
  /** The payment service's id of the session, a UUID. */
  readonly sessionId: string;
  /** The payor's page at the payment service. */
  readonly checkoutUrl: string;
}

/** Answer of {@link PaymentSessionHandle.cancelAndWait}. */
export interface CancelReply {
  /** The outcome of the cancellation. */
  readonly outcome: CancelOutcome;
  /** The session's state after the cancellation. */
  readonly state: SessionState;
}

/** Answer of {@link PaymentSessionHandle.recordReveal}. */
export interface RevealReply {
  /** True if the session's record has the reveal. False if the session has ended, or if the record is full. */
  readonly kept: boolean;
  /** The session's state after the reveal. */
  readonly state: SessionState;
}

/** First detail of the failure that ends the workflow, so that a failed session can still be read without a worker. */
export interface FailureDetails {
  readonly state: SessionState;
  readonly stateHistory: readonly StateHistoryEntry[];
}
