import type { ProblemDetails } from '../contract/problem-details';
import type { ErrorCode } from './codes';
import { PaysessionError } from './paysession-error';

/** Codes of a failed call to the payment service. */
export type ServiceErrorCode = Extract<ErrorCode, `SERVICE_${string}`>;

/** What went wrong in a call to the payment service, as plain data: it crosses from activities to workflows. */
export interface ServiceFailure {
  readonly code: ServiceErrorCode;
  /** Without personal data, token or secret. */
  readonly message: string;
  /** HTTP status of the answer; absent when there was none. */
  readonly status?: number;
  /** The answer's problem details (contract A70), each text bounded. */
  readonly problem?: ProblemDetails;
  /** How long the service asks to wait, in milliseconds (contract A71). */
  readonly retryAfterMs?: number;
}

/** A failed call to the payment service; `failure` is the same as plain data. */
export class ServiceError extends PaysessionError {
  override readonly name = 'ServiceError';

  constructor(
    readonly failure: ServiceFailure,
    options?: { readonly cause?: unknown },
  ) {
    super(failure.code, failure.message, options);
  }
}
