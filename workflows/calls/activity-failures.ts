import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/workflow';
import { isErrorCode } from '../../src/errors/codes';
import { FOLLOW_AGAIN } from '../../src/protocol/names';
import { type CallFailure, type ServiceFailure, withRemedy } from '../../src/errors/failures';

/**
 * What a failed activity reports: the failure's type is an error code; its first detail is the failed call to the service,
 * if there was one. An activity that was lost in any other way counts as an interrupted call.
 */
export function callFailureOf(error: unknown): CallFailure {
  const cause = applicationFailureOf(error);
  if (cause?.type != null && isErrorCode(cause.type)) {
    const detail = cause.details?.[0] as ServiceFailure | undefined;
    return detail ?? { code: cause.type, message: cause.message };
  }
  const code = 'SERVICE_INTERRUPTED';
  return { code, message: withRemedy(code, 'The worker that made the call was lost before it answered.') };
}

/**
 * The failure that no repetition can help: unknown account, invalid request, wrong credentials. One that comes with a wait
 * may pass: the worker may only be repeating an earlier refusal.
 */
export function fatalFailureOf(error: unknown): CallFailure | undefined {
  const cause = applicationFailureOf(error);
  if (cause?.nonRetryable !== true || cause.type == null || !isErrorCode(cause.type)) return undefined;
  const failure = callFailureOf(error);
  return failure.retryAfterMs === undefined ? failure : undefined;
}

/** Whether no worker took the activity in its time: nothing was done. */
export function isNeverStarted(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START';
}

/**
 * An activity that was given up after a worker was to have taken it: the worker was lost, or it never got the task. `undefined` for
 * every other failure.
 */
export function lostActivityOf(error: unknown): LostActivity | undefined {
  if (!(error instanceof ActivityFailure)) return undefined;
  const { cause } = error;
  if (!(cause instanceof TimeoutFailure) || cause.timeoutType === 'SCHEDULE_TO_START') return undefined;
  return { lastDetails: cause.lastHeartbeatDetails };
}

/** What is left of an activity whose worker was lost. */
export interface LostActivity {
  /** What its last heartbeat said; `undefined` where that, or the heartbeat, is missing. */
  readonly lastDetails: unknown;
}

/** Whether an activity that is repeated as long as it may be has had its time. */
export function isTimeUp(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  const isTimeout = cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_CLOSE';
  return isTimeout || applicationFailureOf(error)?.type === FOLLOW_AGAIN;
}

function applicationFailureOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
