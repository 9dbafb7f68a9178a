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

/** The type of the workflow function that runs a session. */
export type PaymentSessionWorkflow = (input: PaymentSessionInput) => Promise<SessionResult>;

/** Fields that {@link SessionState} and {@link SessionResult} share. */
interface KnownSession {
  /** The session's key, which the caller has chosen. */
  readonly key: string;
  /** `EFT`, `GEFT` (guaranteed EFT) or `e-Transfer`. */
  readonly kind: SessionKind;
  /** The request's `referenceId`. `null` if the request has none, or if the state comes from the ledger without the reference. */
  readonly referenceId: string | null;
  /** The detail code. Absent if the service reported no code, as for e-Transfers, or a code that cannot be read. */
  readonly code?: ReportedCode;
  /** The amount in dollars. Absent until it is known. */
  readonly amount?: number;
  /** The requested cancellation, and its outcome. Absent if no cancellation was requested. */
  readonly cancel?: CancelRecord;
  /** True if the session ended because the payor did not sign the PAD agreement before `padSignatureDeadline`. */
  readonly unsigned?: true;
  /**
   * True if the session ended after its deadline without a final poll, because the payment service could not be polled. The session may
   * or may not be paid. Look the payment up at the payment service before you deliver or release.
   */
  readonly unverified?: true;
  /** Observations that the contract does not foresee, oldest first. */
  readonly anomalies: readonly Anomaly[];
  /** People's decisions about the session, oldest first. */
  readonly decisions: readonly Decision[];
  /** The session's waits for a decision about a create request, oldest first. Absent if the session never waited. */
  readonly parks?: readonly Park[];
}

/** The state of a session, as {@link PaymentSessionHandle.state} returns it. */
export interface SessionState extends KnownSession {
  /** The phase of the session's life. */
  readonly phase: SessionPhase;
  /** The number of changes so far that a caller can see. Absent if the state comes from a result or from the ledger. */
  readonly revision?: number;
  /**
   * True if the payor has done all that the payment needs: the session is `Completed` with the code `EFT0301`, so the transaction is
   * scheduled. An e-Transfer has no codes, and is paid if it is `Completed` without a code. Any other `Completed` is not known to be
   * paid.
   *
   * The money may still be on its way. A regular EFT can also come back afterwards, which the payment service's sessions do not show.
   */
  readonly paid: boolean;
  /**
   * The last status that the service reported, not counting a status that goes backwards. `Cancelled` if the session was cancelled
   * before it was created. Absent until a status is known.
   */
  readonly status?: ReportedStatus;
  /** The payment service's id of the session, a UUID. Absent until the session is created. */
  readonly sessionId?: string;
  /**
   * The address of the payor's page at the payment service. Absent until the session is created. May also be absent if the state comes
   * from the ledger.
   */
  readonly checkoutUrl?: string;
  /** The reason why the session's calls currently fail or wait. Absent if the last call succeeded. */
  readonly trouble?: Trouble;
  /** The failure of the workflow. Absent unless the workflow failed. */
  readonly failure?: SessionFailure;
}

/**
 * The result of a session that has ended. Check `paid` before you deliver anything. The status `Completed` is not enough: the payor's
 * signature may be missing, or it may be unclear whether the session is paid.
 */
export type SessionResult = PaidSession | UnpaidSession;

/**
 * The result of a paid session: the payor has done all that the payment needs. An EFT is then scheduled. A regular EFT can still come
 * back, for instance for insufficient funds or a dispute. The session does not show that.
 */
export interface PaidSession extends KnownSession {
  /** Always true for this type: the session is paid. Deliver only if this is true. */
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
 * The result of a session that is not paid, or not known to be paid.
 *
 * The status may still be `Completed`, for one of three reasons:
 * - The payor has not signed (`unsigned`).
 * - The detail code does not say whether the session is paid: it is missing, unknown, unexpected or unreadable (`anomalies`).
 * - The payment service could not be polled after the deadline (`unverified`).
 *
 * In the last two cases, a person must look the payment up at the payment service.
 */
export interface UnpaidSession extends KnownSession {
  /** Always false for this type. Do not deliver. */
  readonly paid: false;
  /** The last known status. `Cancelled` if the session was cancelled before it was created. */
  readonly status: ReportedStatus;
  /** The payment service's id of the session, a UUID. Absent if no created session is known. */
  readonly sessionId?: string;
  /** The address of the payor's page at the payment service. Absent if no created session is known. */
  readonly checkoutUrl?: string;
  /** The states that the session was seen in, oldest first: the first 200. */
  readonly stateHistory: readonly StateHistoryEntry[];
}

/** A session that was created at the payment service, as {@link PaymentSessionHandle.opened} returns it. */
export interface OpenedSession {
  /** The payment service's id of the session, a UUID. */
  readonly sessionId: string;
  /** The payor's page at the payment service. */
  readonly checkoutUrl: string;
}

/** The answer of {@link PaymentSessionHandle.cancelAndWait}. */
export interface CancelReply {
  /** The outcome of the cancellation. */
  readonly outcome: CancelOutcome;
  /** The session's state after the cancellation. */
  readonly state: SessionState;
}

/** The answer of {@link PaymentSessionHandle.recordReveal}. */
export interface RevealReply {
  /** True if the session has recorded the view. False if the session has ended, or if its record is full. */
  readonly kept: boolean;
  /** The session's state after the view. */
  readonly state: SessionState;
}

/** The first detail of the failure that ends a workflow. With it, a failed session can be read without a worker. */
export interface FailureDetails {
  readonly state: SessionState;
  readonly stateHistory: readonly StateHistoryEntry[];
}
