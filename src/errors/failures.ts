import type { ErrorCode, ServiceErrorCode } from './codes';
import type { ProblemDetails } from '../contract/service-api';

/** Why a session failed, or is in trouble, as plain data. */
export interface SessionFailure {
  /** The error code. */
  readonly code: ErrorCode;
  /** Without personal data, token or secret. */
  readonly message: string;
  /** HTTP status of the service's answer, where there was one. */
  readonly status?: number;
  /** The answer's problem details (contract A70), each text bounded. */
  readonly problem?: ProblemDetails;
}

/** Why one call of a session failed, whatever went wrong: the service, the account's settings or the worker. */
export interface CallFailure extends SessionFailure {
  /** How long to wait before the call is made again, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Why one call to the payment service failed: it crosses from activities to workflows as plain data. */
export interface ServiceFailure extends CallFailure {
  /** The error code. */
  readonly code: ServiceErrorCode;
  /** How long the service asks to wait, in milliseconds (contract A71). */
  readonly retryAfterMs?: number;
}
