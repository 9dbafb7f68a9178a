import { ApplicationFailure } from '@temporalio/common';
import { PaysessionError, ServiceError } from '../src/errors';

/**
 * A paysession error as a Temporal failure: its type is the error code. Failed calls to the service may be repeated,
 * after the time that the service asks for; wrong credentials and every other error of our own may not.
 */
export function toApplicationFailure(error: unknown): unknown {
  if (!(error instanceof PaysessionError)) return error;
  const { code: type, message } = error;
  if (!(error instanceof ServiceError)) return ApplicationFailure.nonRetryable(message, type);
  const { retryAfterMs } = error.failure;
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: type === 'SERVICE_CREDENTIALS_REJECTED',
    ...(retryAfterMs !== undefined && { nextRetryDelay: retryAfterMs }),
  });
}
