import type { ServerResponse } from 'node:http';
import { InvalidRequestError, isPaysessionError, type ErrorCode } from 'paysession';
import { HttpError } from './body';

const RETRY_AFTER_S = 5;

/**
 * Answers a request with the problem details of an error. The caller sees the message only of the caller's own
 * errors. For other errors, the answer contains the error code at most.
 */
export function sendError(response: ServerResponse, error: unknown): void {
  const { status, ...details } = describe(error);
  if (status === 500) console.error(error);
  response.statusCode = status;
  response.setHeader('content-type', 'application/problem+json');
  if (status === 503) response.setHeader('retry-after', RETRY_AFTER_S);
  if (status === 405) response.setHeader('allow', 'POST');
  // The body is too large. Closing the connection avoids reading the rest of it.
  if (status === 413) response.setHeader('connection', 'close');
  response.end(JSON.stringify({ status, ...details }));
}

function describe(error: unknown): { readonly status: number; readonly [member: string]: unknown } {
  if (error instanceof HttpError) return { status: error.status, title: error.message };
  if (error instanceof InvalidRequestError)
    return { status: 422, title: 'The order is invalid.', code: error.code, failures: error.failures };
  if (isPaysessionError(error)) return { status: statusOf(error.code), code: error.code };
  return { status: 500, title: 'Internal error' };
}

function statusOf(code: ErrorCode): number {
  switch (code) {
    // The key already has a session: with another request, or one that ended before it opened.
    case 'SESSION_CONFLICT':
    case 'SESSION_NOT_OPENED':
    case 'CREATE_ABANDONED':
    case 'CREATE_DEADLINE_PASSED':
      return 409;
    case 'SERVICE_REQUEST_REJECTED':
      return 422;
    // The page may send the order again. If a session was started, the second call attaches to it.
    case 'SESSION_STILL_OPENING':
    case 'SERVICE_CREDENTIALS_REJECTED':
    case 'UNKNOWN_ACCOUNT':
    case 'CREATE_OUTCOME_UNKNOWN':
    case 'TEMPORAL_BUSY':
    case 'TEMPORAL_UNAVAILABLE':
    case 'WORKER_UNAVAILABLE':
      return 503;
    default:
      return 500;
  }
}
