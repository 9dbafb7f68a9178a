import { ApplicationFailure } from '@temporalio/common';
import { HandlerError, OperationError, type HandlerErrorType } from 'nexus-rpc';
import { InvalidRequestError, PaysessionError, type ErrorCode } from '../src/errors';

/** Runs an operation; what it throws reaches the caller with its error code, and is repeated only where that can help. */
export async function translating<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw toNexusError(error);
  }
}

/** Errors without a code are left to the SDK, which reports the engine's own by their kind. */
export function toNexusError(error: unknown): unknown {
  if (!(error instanceof PaysessionError)) return error;
  const { code: type, message } = error;
  const details = error instanceof InvalidRequestError ? [{ failures: error.failures }] : [];
  const cause = ApplicationFailure.create({ type, message, nonRetryable: true, details });
  const handlerError = handlerErrorOf(type);
  return handlerError === undefined
    ? new OperationError('failed', message, { cause })
    : new HandlerError(handlerError, message, { cause });
}

/**
 * Refusals of the call itself; every other code tells what became of the session. A conflict is a `BAD_REQUEST`: server
 * 1.29 does not know `CONFLICT`, takes it for an error of its own and repeats the call until the endpoint is closed.
 */
function handlerErrorOf(code: ErrorCode): HandlerErrorType | undefined {
  switch (code) {
    case 'INVALID_REQUEST':
    case 'INVALID_INPUT':
    case 'SESSION_CONFLICT':
      return 'BAD_REQUEST';
    case 'SESSION_NOT_FOUND':
      return 'NOT_FOUND';
    case 'ENGINE_UNAVAILABLE':
    case 'WORKER_UNAVAILABLE':
      return 'UNAVAILABLE';
    default:
      return undefined;
  }
}
