import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { isPaysessionError } from '../../../src';
import { GRPC, grpcAnswerOf } from '../../../src/protocol/temporal/grpc';

/** Error codes while the Temporal server restarts. The server is unavailable first. Then, for a moment, it does not know the namespace. */
export const ERRORS_OF_RESTARTS = ['TEMPORAL_UNAVAILABLE', 'TEMPORAL_REFUSED'];

/** Codes of transient errors. The comments name their causes. */
const TRANSIENT = [
  ...ERRORS_OF_RESTARTS,
  // A worker is replaced.
  'WORKER_UNAVAILABLE',
  // The worker has not processed the workflow's earlier events yet.
  'QUERY_FAILED',
  // The worker does not have its encryption key yet.
  'ENCRYPTION_KEY_MISSING',
  // Too many callers wait for the session.
  'SESSION_BUSY',
  // The session moved to a new run before it could answer.
  'SESSION_CONTINUED',
];
/** The longest time, in milliseconds, for which a caller repeats a failing request. */
export const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;

/**
 * Repeats a call as long as its error is transient, for at most `patienceMs`. Returns `undefined` if the call succeeds. Otherwise, returns
 * the error's code, or the name and the message of an error without a code.
 */
export async function retryUntilAnswered(
  call: () => Promise<unknown>,
  patienceMs = PATIENCE_MS,
): Promise<string | undefined> {
  const endsAtMs = Date.now() + patienceMs;
  for (;;) {
    try {
      await call();
      return undefined;
    } catch (error) {
      const code = codeOf(error);
      if (!TRANSIENT.includes(code) || Date.now() > endsAtMs) return code;
      await sleep(PAUSE_MS);
    }
  }
}

/**
 * Error codes for the gRPC status codes of the Temporal server. NOT_FOUND means that the workflow does not exist, which is not transient.
 * The other status codes come from a server that restarts, has no worker for a call, or fails a query.
 */
const GRPC_CODES: Readonly<Record<number, string>> = {
  [GRPC.CANCELLED]: 'WORKER_UNAVAILABLE',
  [GRPC.INVALID_ARGUMENT]: 'QUERY_FAILED',
  [GRPC.DEADLINE_EXCEEDED]: 'WORKER_UNAVAILABLE',
  [GRPC.NOT_FOUND]: 'WorkflowNotFoundError',
  [GRPC.FAILED_PRECONDITION]: 'WORKER_UNAVAILABLE',
  [GRPC.UNAVAILABLE]: 'TEMPORAL_UNAVAILABLE',
};

/** Returns the error's code. Returns the name and the message of an error without a code. */
export function codeOf(error: unknown): string {
  if (isPaysessionError(error)) return error.code;
  if (error instanceof WorkflowNotFoundError) return 'WorkflowNotFoundError';
  const answer = grpcAnswerOf(error);
  const code = answer && GRPC_CODES[answer.code];
  if (code !== undefined) return code;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
