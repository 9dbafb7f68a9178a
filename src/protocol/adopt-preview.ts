/** The preview before an adoption: shows a person a session of the payment service next to this session's request. */
import { isSessionId, type ExpectedSession, type ReportedPayment } from '../contract/identity';
import type { SessionKind, SessionSnapshot } from '../contract/statuses';
import type { ValidationFailure } from '../contract/validate-session-request';
import { isRecord } from '../contract/values/json';
import type { ErrorCode } from '../errors/codes';
import { unknownFieldFailures } from './input';

/** Argument of `previewAdopt`. */
export interface PreviewAdopt {
  /** The payment service's id of the session to preview, a UUID. */
  readonly sessionId: string;
}

/**
 * The answer of `previewAdopt()`: the payment service's report of a session, next to this session's request. The answer has no personal
 * data of the payor, and no address of the payor's page.
 */
export interface AdoptPreview {
  /** The payment service's id of the previewed session. */
  readonly sessionId: string;
  /** True if `resolveCreate` with this id would currently adopt the session. */
  readonly adoptable: boolean;
  /** The reason why the session would not be adopted. Absent if `adoptable` is true. */
  readonly refusal?: AdoptRefusal;
  /** The payment that this session requested from the payment service. */
  readonly asked: AskedPayment;
  /** The payment service's report of the previewed session. Absent if the session could not be read. */
  readonly found?: FoundPayment;
  /**
   * The fields in which the previewed session differs from the request. If there are any, the session is a different payment. Empty if
   * the session could not be read.
   */
  readonly differences: readonly PaymentDifference[];
  /**
   * The fields that could not be compared, because the report lacks them. Absent if the report has all fields, or if there is no report.
   */
  readonly untold?: readonly PaymentDifference[];
}

/** True if the payment service does not report whether the EFT session is guaranteed. */
export const isGuaranteeUntold = ({ found, untold = [] }: AdoptPreview): boolean =>
  found?.type === 'EFT' && untold.includes('type');

/** The reason why a session would not be adopted. */
export interface AdoptRefusal {
  /**
   * The reason as an error code:
   * - `SESSION_MISMATCH`: the session is a different payment.
   * - `SESSION_FOLLOWED`: another key follows the session, or has followed it.
   * - `SESSION_MAYBE_FOLLOWED`: it is not yet clear whether another key has the session.
   * - `SERVICE_SESSION_UNKNOWN`: the payment service does not know the id.
   * - Any other code: the error code of the call that failed.
   */
  readonly code: ErrorCode;
  /** The reason in words. */
  readonly message: string;
  /** The other key that follows the session, or has followed it. Only with `SESSION_FOLLOWED`. */
  readonly followedBy?: string;
  /** The other key that may have the session, if that key is known. Only with `SESSION_MAYBE_FOLLOWED`. */
  readonly maybeFollowedBy?: string;
}

/** A field by which payments are compared. The amount is compared only if the request sets it and the payor cannot change it. */
export type PaymentDifference = keyof ExpectedSession | 'amount';

/** The part of a session's request that the payment service repeats in its report. */
export interface AskedPayment extends ExpectedSession {
  /** `EFT`, `GEFT` (guaranteed EFT) or `e-Transfer`. */
  readonly kind: SessionKind;
  /** The amount in dollars. Absent if the payor enters the amount. */
  readonly amount?: number;
  /** The request's `currency`, or the service's default. */
  readonly currency: string;
}

/** The payment service's report of a session, as the session's details contain it (contract rules A50 and A51, docs/contract.md). */
export interface FoundPayment extends SessionSnapshot, ReportedPayment {
  /** The kind. Absent if the details do not show it: some services do not report whether an EFT is guaranteed. */
  readonly kind?: SessionKind;
}

const FIELDS = { of: 'the argument', names: ['sessionId'] };

/** Returns the failures of the argument of `previewAdopt`. */
export function previewFailures(argument: unknown): ValidationFailure[] {
  if (!isRecord(argument)) return [{ path: 'the argument', message: 'must be {sessionId: text}' }];
  return [
    ...unknownFieldFailures(argument, FIELDS),
    ...(isSessionId(argument['sessionId']) ? [] : [{ path: 'sessionId', message: MUST_BE_ID }]),
  ];
}

/** The rule for a session id. */
export const MUST_BE_ID = 'must be a UUID, like the ids of the payment service';
