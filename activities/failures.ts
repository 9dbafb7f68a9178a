import { ApplicationFailure } from '@temporalio/common';
import { isPaysessionError, rowOf, ServiceError } from '../src/errors';

/**
 * A paysession error as a Temporal failure: its type is the error code. The table of codes says which the engine may repeat;
 * it repeats no failed call to the service that asks for a wait, which the workflow shows.
 */
export function toApplicationFailure(error: unknown): unknown {
  if (!isPaysessionError(error)) return error;
  const { code: type, message } = error;
  const isRepeated = rowOf(type)?.repeated === true;
  if (!(error instanceof ServiceError)) {
    return ApplicationFailure.create({ type, message, nonRetryable: !isRepeated });
  }
  const { failure } = error;
  const nonRetryable = !isRepeated || failure.retryAfterMs !== undefined;
  return ApplicationFailure.create({ type, message, nonRetryable, details: [failure] });
}
