import { ApplicationFailure } from '@temporalio/common';
import { HandlerError, OperationError } from 'nexus-rpc';
import { InvalidRequestError, isPaysessionError, rowOf } from '../src/errors';

/** Runs an operation; what it throws reaches the caller with its error code, and is repeated only where that can help. */
export async function translating<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw toNexusError(error);
  }
}

/**
 * Errors without a code are left to the SDK, which reports the engine's own by their kind. In the table a conflict is a
 * `BAD_REQUEST`: server 1.29 does not know `CONFLICT`, takes it for an error of its own and repeats the call until the
 * endpoint is closed.
 */
export function toNexusError(error: unknown): unknown {
  if (!isPaysessionError(error)) return error;
  const { code: type, message } = error;
  const details = error instanceof InvalidRequestError ? [{ failures: error.failures }] : [];
  const cause = ApplicationFailure.create({ type, message, nonRetryable: true, details });
  const refusal = rowOf(type)?.nexus;
  return refusal === undefined
    ? new OperationError('failed', message, { cause })
    : new HandlerError(refusal, message, { cause });
}
