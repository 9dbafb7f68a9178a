import { ApplicationFailure } from '@temporalio/common';
import { PaysessionError, ServiceError, type ErrorCode } from '../src/errors';

/** Errors that pass by themselves, or on another worker. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'ENGINE_UNAVAILABLE',
  'WORKER_UNAVAILABLE',
  'ENCRYPTION_KEY_MISSING',
]);

/**
 * A paysession error as a Temporal failure: its type is the error code. Failed calls to the service may be repeated by the
 * engine, but for those that ask for a wait, which the workflow shows; wrong credentials and most other errors of our own
 * may not.
 */
export function toApplicationFailure(error: unknown): unknown {
  if (!(error instanceof PaysessionError)) return error;
  const { code: type, message } = error;
  if (!(error instanceof ServiceError)) {
    return ApplicationFailure.create({ type, message, nonRetryable: !PASSING.has(type) });
  }
  const { failure } = error;
  const nonRetryable = type === 'SERVICE_CREDENTIALS_REJECTED' || failure.retryAfterMs !== undefined;
  return ApplicationFailure.create({ type, message, nonRetryable, details: [failure] });
}
