import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { isPaysessionError } from '../../../src';
import { GRPC, grpcAnswerOf } from '../../../src/protocol/temporal/grpc';

/** Error codes while the Temporal server restarts: it is unavailable, and then lacks the namespace for a moment. */
export const OF_RESTARTS = ['TEMPORAL_UNAVAILABLE', 'TEMPORAL_REFUSED'];

/**
 * Transient errors: the Temporal server restarts, a worker is replaced or gets its key, an update waits for its turn, or a
 * query arrived together with events that await a workflow task.
 */
const TRANSIENT = [
  ...OF_RESTARTS,
  'WORKER_UNAVAILABLE',
  'QUERY_FAILED',
  'ENCRYPTION_KEY_MISSING',
  'SESSION_BUSY',
  'SESSION_CONTINUED',
];
/** The longest time for which a caller repeats a request, in milliseconds. */
export const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;

/**
 * Repeats a call while its error is transient, for `patienceMs` at most. Returns `undefined` if the call succeeds, and
 * otherwise the error's code, or the message of an error without a code.
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

/** Error codes for the gRPC status codes of a Temporal server that restarts, has no worker for a call, or fails a query. */
const GRPC_CODES: Readonly<Record<number, string>> = {
  [GRPC.CANCELLED]: 'WORKER_UNAVAILABLE',
  [GRPC.INVALID_ARGUMENT]: 'QUERY_FAILED',
  [GRPC.DEADLINE_EXCEEDED]: 'WORKER_UNAVAILABLE',
  [GRPC.NOT_FOUND]: 'WorkflowNotFoundError',
  [GRPC.FAILED_PRECONDITION]: 'WORKER_UNAVAILABLE',
  [GRPC.UNAVAILABLE]: 'TEMPORAL_UNAVAILABLE',
};

export function codeOf(error: unknown): string {
  if (isPaysessionError(error)) return error.code;
  if (error instanceof WorkflowNotFoundError) return 'WorkflowNotFoundError';
  const answer = grpcAnswerOf(error);
  const code = answer && GRPC_CODES[answer.code];
  if (code !== undefined) return code;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
