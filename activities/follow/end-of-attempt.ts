import { CompleteAsyncError } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { FOLLOW_AGAIN } from '../../src/protocol/names';
import { toApplicationFailure } from '../failures';

/** Ends an attempt that has nothing to report: the server begins the next after the wait, and writes no history. */
export function again(waitMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: FOLLOW_AGAIN,
    message: 'No news. The next attempt continues.',
    nextRetryDelay: Math.max(1, Math.round(waitMs)),
    // Not an error: neither logged nor counted as one.
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** What an attempt threw, for the server: every error ends the activity, and the workflow waits, where people see it. */
export function toEndOfAttempt(error: unknown): unknown {
  if (error instanceof CompleteAsyncError) return error;
  if (error instanceof ApplicationFailure && error.type === FOLLOW_AGAIN) return error;
  return ApplicationFailure.fromError(toApplicationFailure(error), { nonRetryable: true });
}
