/**
 * Reports about one attempt of an activity to the Temporal server: heartbeats, failures, and results that the activity
 * delivers itself instead of the SDK's worker.
 */
import { ApplicationFailure } from '@temporalio/common';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { isPaysessionError, rowOf, ServiceError } from '../src/errors';

/**
 * Reports to the Temporal server directly, not through the SDK's worker. Each call resolves once the server has accepted
 * the report. It rejects with an `ActivityNotFoundError` if the server no longer knows the attempt. `Client.activity` is
 * one implementation.
 */
export interface ActivityCompletion {
  /**
   * Reports that the activity is alive. If the attempt must end, rejects with an `ActivityCancelledError`,
   * `ActivityPausedError` or `ActivityResetError`.
   */
  heartbeat(taskToken: Uint8Array, details?: unknown): Promise<void>;
  /** Ends the activity with a result. */
  complete(taskToken: Uint8Array, result: unknown): Promise<void>;
  /** Ends the attempt with a failure. */
  fail(taskToken: Uint8Array, error: unknown): Promise<void>;
  /** Ends the activity as cancelled. */
  reportCancellation(taskToken: Uint8Array): Promise<void>;
}

/**
 * Thrown to end an execution that has delivered its result itself. The SDK then delivers nothing. This is not a failure.
 */
export class Delivered extends CompleteAsyncError {
  constructor(readonly result: unknown) {
    super();
  }
}

/**
 * Converts a paysession error to a Temporal failure whose type is the error code. Returns other errors unchanged.
 *
 * The table of error codes says after which failures the Temporal server may repeat the activity. If a failed call to the
 * service names a wait, the server never repeats the activity. The workflow waits instead, so that the session's state
 * shows the wait.
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

/**
 * Does an activity's work and sends heartbeats meanwhile. Heartbeats keep the activity alive, and their answers bring its
 * cancellation.
 */
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
