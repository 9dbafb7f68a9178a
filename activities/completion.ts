import { CompleteAsyncError } from '@temporalio/activity';

/**
 * How an activity reports to the Temporal server itself, past the SDK, and hears that the server has taken it; `Client.activity` is one.
 * Each call rejects with an `ActivityNotFoundError` when the Temporal server no longer knows the attempt.
 */
export interface ActivityCompletion {
  /**
   * Tells that the activity is alive. Rejects with an `ActivityCancelledError`, `ActivityPausedError` or `ActivityResetError`
   * where the activity is to end.
   */
  heartbeat(taskToken: Uint8Array, details?: unknown): Promise<void>;
  /** Ends the activity with a result. */
  complete(taskToken: Uint8Array, result: unknown): Promise<void>;
  /** Ends the attempt with a failure. */
  fail(taskToken: Uint8Array, error: unknown): Promise<void>;
  /** Ends the activity as cancelled. */
  reportCancellation(taskToken: Uint8Array): Promise<void>;
}

/** The name of an error of the Temporal client, by which it is told: a worker's activities do not load the client. */
export const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** Ends an execution that has delivered its result itself: it has not failed. */
export class Delivered extends CompleteAsyncError {
  constructor(readonly result: unknown) {
    super();
  }
}
