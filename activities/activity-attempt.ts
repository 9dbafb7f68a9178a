/**
 * Reports about an activity's attempt to the Temporal server: heartbeats, its failure, and a result that the SDK's worker
 * does not deliver.
 */
import { ApplicationFailure } from '@temporalio/common';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { isPaysessionError, rowOf, ServiceError } from '../src/errors';

/**
 * Reports to the Temporal server directly, not through the SDK's worker, and waits until the server has accepted the
 * report. `Client.activity` is one implementation. Each call rejects with an `ActivityNotFoundError` if the Temporal server
 * no longer knows the attempt.
 */
export interface ActivityCompletion {
  /**
   * Reports that the activity is alive. Rejects with an `ActivityCancelledError`, `ActivityPausedError` or
   * `ActivityResetError` if the attempt is to end.
   */
  heartbeat(taskToken: Uint8Array, details?: unknown): Promise<void>;
  /** Ends the activity with a result. */
  complete(taskToken: Uint8Array, result: unknown): Promise<void>;
  /** Ends the attempt with a failure. */
  fail(taskToken: Uint8Array, error: unknown): Promise<void>;
  /** Ends the activity as cancelled. */
  reportCancellation(taskToken: Uint8Array): Promise<void>;
}

/** Thrown to end an execution that delivers its result itself. The execution has not failed. */
export class Delivered extends CompleteAsyncError {
  constructor(readonly result: unknown) {
    super();
  }
}

/**
 * Converts a paysession error to a Temporal failure whose type is the error code. Returns other errors unchanged. The table
 * of codes says after which failures the Temporal server may repeat the activity. The server never repeats a call to the
 * service whose failure names a wait: the workflow waits itself, so that the session's state shows the wait.
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

/** Does an activity's work and sends heartbeats meanwhile. They keep the activity alive and bring its cancellation. */
export async function withHeartbeats<T>(everyMs: number, work: () => Promise<T>): Promise<T> {
  const context = Context.current();
  const heartbeats = setInterval(() => {
    context.heartbeat();
  }, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeats);
  }
}
