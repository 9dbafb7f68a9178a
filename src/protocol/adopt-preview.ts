/** The preview of a session of the payment service, before a person adopts it. */
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
 * The answer of `previewAdopt()`: the payment service's report of a session, next to this session's request. It has no personal
 * data of the payor, and no address of the payor's page.
 */
export interface AdoptPreview {
  /** The payment service's id of the previewed session. */
  readonly sessionId: string;
  /** True if `resolveCreate` with this id would currently adopt the session. */
  readonly adoptable: boolean;
  /** The reason why the session would not be adopted; absent if it would be. */
  readonly refusal?: AdoptRefusal;
  /** The payment that this session requested from the payment service. */
  readonly asked: AskedPayment;
  /** The payment service's report of the previewed session; absent if that session could not be read. */
  readonly found?: FoundPayment;
  /**
   * The fields in which the previewed session differs from the request, so that it is a different payment. Empty if there are
   * none, or if the session could not be read.
   */
  readonly differences: readonly PaymentDifference[];
  /** The fields that could not be compared, because the report lacks them; absent if there are none, or if there is no report. */
  readonly untold?: readonly PaymentDifference[];
}

/** True if the payment service does not report whether the EFT session is guaranteed. */
export const isGuaranteeUntold = ({ found, untold = [] }: AdoptPreview): boolean =>
  found?.type === 'EFT' && untold.includes('type');

/** The reason why a session would not be adopted. */
export interface AdoptRefusal {
  /**
   * `SESSION_MISMATCH`: the session is a different payment. `SESSION_FOLLOWED`: another key follows the session, or has followed
   * it. `SESSION_MAYBE_FOLLOWED`: it is not clear yet whether another key has the session. `SERVICE_SESSION_UNKNOWN`: the payment
   * service does not know the id. Otherwise, the error code of the call that failed.
   */
  readonly code: ErrorCode;
  /** The reason in words. */
  readonly message: string;
  /** The key that follows the session, or has followed it; only with `SESSION_FOLLOWED`. */
  readonly followedBy?: string;
  /** The key that may have the session; only with `SESSION_MAYBE_FOLLOWED`, if the key is known. */
  readonly maybeFollowedBy?: string;
}

/** A field that distinguishes one payment from another. The amount counts only if the request sets it and the payor cannot change it. */
export type PaymentDifference = keyof ExpectedSession | 'amount';

/** The part of a session's request that the payment service repeats. */
export interface AskedPayment extends ExpectedSession {
  /** `EFT`, `GEFT` (guaranteed EFT) or `e-Transfer`. */
  readonly kind: SessionKind;
  /** The amount in dollars; absent if the payor enters the amount. */
  readonly amount?: number;
  /** The request's `currency`, or the service's default. */
  readonly currency: string;
}

/** The payment service's report of a session: only what the session's details contain (contract A50, A51). */
export interface FoundPayment extends SessionSnapshot, ReportedPayment {
  /** The kind; absent if the details do not show it: some do not say whether an EFT is guaranteed. */
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

/** The rule that an id breaks if it cannot come from the payment service. */
export const MUST_BE_ID = 'must be a UUID, like the ids of the payment service';
