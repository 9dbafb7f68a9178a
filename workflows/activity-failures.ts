import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { isErrorCode, type ErrorCode } from '../src/errors/codes';
import type { ServiceErrorCode, ServiceFailure } from '../src/errors/service-error';

/** What an activity reported by failing. Its failure's type is an error code; the first detail a `ServiceFailure`. */

/** The code of a failure that no repetition can help: unknown account, invalid request, wrong credentials. */
export function fatalCodeOf(error: unknown): { code: ErrorCode; message: string } | undefined {
  const cause = applicationFailureOf(error);
  if (cause?.nonRetryable !== true || cause.type == null || !isErrorCode(cause.type)) return undefined;
  return { code: cause.type, message: cause.message };
}

/** The failed call to the service; anything else that lost an activity counts as an interrupted call. */
export function serviceFailureOf(error: unknown): ServiceFailure {
  const cause = applicationFailureOf(error);
  const code = cause?.type;
  if (cause !== undefined && code != null && isServiceCode(code)) return { code, message: cause.message };
  return {
    code: 'SERVICE_INTERRUPTED',
    message: 'The worker that made the call was lost before it answered.',
  };
}

function applicationFailureOf(error: unknown): ApplicationFailure | undefined {
  return error instanceof ActivityFailure && error.cause instanceof ApplicationFailure
    ? error.cause
    : undefined;
}

function isServiceCode(code: string): code is ServiceErrorCode {
  return isErrorCode(code) && code.startsWith('SERVICE_');
}
