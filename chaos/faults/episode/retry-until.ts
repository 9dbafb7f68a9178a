import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { isPaysessionError } from '../../../src';
import { GRPC, grpcAnswerOf } from '../../../src/protocol/temporal/grpc';

/** An engine that is restarted is not there, and then has no namespace for a moment. */
export const OF_RESTARTS = ['ENGINE_UNAVAILABLE', 'ENGINE_REFUSED'];

/**
 * What passes by itself: the engine is restarted, a worker is replaced or gets its key, an update waits for its turn, a query
 * came with events that await a workflow task.
 */
const PASSING = [
  ...OF_RESTARTS,
  'WORKER_UNAVAILABLE',
  'QUERY_FAILED',
  'ENCRYPTION_KEY_MISSING',
  'SESSION_BUSY',
  'SESSION_CONTINUED',
];
/** How long a caller goes on asking, in milliseconds. */
export const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;

/** Calls until there is an answer; gives the error code of one that is an error, or the message of an error without a code. */
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
      if (!PASSING.includes(code) || Date.now() > endsAtMs) return code;
      await sleep(PAUSE_MS);
    }
  }
}

/** gRPC status codes of an engine that is restarted, or has no worker to hand a call to, or whose worker fails a query. */
const GRPC_CODES: Readonly<Record<number, string>> = {
  [GRPC.CANCELLED]: 'WORKER_UNAVAILABLE',
  [GRPC.INVALID_ARGUMENT]: 'QUERY_FAILED',
  [GRPC.DEADLINE_EXCEEDED]: 'WORKER_UNAVAILABLE',
  [GRPC.NOT_FOUND]: 'WorkflowNotFoundError',
  [GRPC.FAILED_PRECONDITION]: 'WORKER_UNAVAILABLE',
  [GRPC.UNAVAILABLE]: 'ENGINE_UNAVAILABLE',
};

export function codeOf(error: unknown): string {
  if (isPaysessionError(error)) return error.code;
  if (error instanceof WorkflowNotFoundError) return 'WorkflowNotFoundError';
  const answer = grpcAnswerOf(error);
  const code = answer && GRPC_CODES[answer.code];
  if (code !== undefined) return code;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
