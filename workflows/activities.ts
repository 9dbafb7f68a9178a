/** Activity proxies with their timeouts, retry policies and priorities, and the meaning of their failures. */
import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  proxyActivities,
  TimeoutFailure,
  type ActivityOptions,
} from '@temporalio/workflow';
import { REFUSALS } from '../src/protocol/temporal/encrypted-payload';
import { isErrorCode } from '../src/errors/codes';
import { FOLLOW_AGAIN } from '../src/protocol/names';
import { type CallFailure, explain, type ServiceFailure, withRemedy } from '../src/errors/failures';
import type { FollowSessionInput, PaymentActivities, PollResult } from '../src/protocol/activities';
import type { Guard } from '../src/protocol/cadence';

/**
 * When workers fall behind, cancels, adoptions and their previews come first, then creates and refreshes. All other polls
 * have Temporal's default priority, 3.
 */
const FIRST = { priorityKey: 1 };
const SOON = { priorityKey: 2 };

/**
 * The time after which the Temporal server notices that a worker was lost during a call. Without this time limit, the
 * server would wait for the call's full timeout. Calls to the payment service therefore send heartbeats. A create gets
 * more time: giving it up too soon may leave a session behind.
 */
const LOST_AFTER = '10s';
const LOST_WITH_CREATE_AFTER = '20s';

/**
 * Gets a token after a create found none. A worker usually has one already. The Temporal server repeats the call a few
 * times after passing faults. The workflow itself waits out longer faults, and the waits that the service asks for,
 * so that the session's state shows them.
 */
export const { authenticate } = proxyActivities<Pick<PaymentActivities, 'authenticate'>>({
  startToCloseTimeout: '45s',
  heartbeatTimeout: LOST_AFTER,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 4 },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  priority: SOON,
});

/**
 * Creates the session. The service has no idempotency key, so the Temporal server never retries the call. With this
 * cancellation type, a cancel waits for the outcome of a create in flight.
 */
export const { createSession } = proxyActivities<Pick<PaymentActivities, 'createSession'>>({
  startToCloseTimeout: '90s',
  heartbeatTimeout: LOST_WITH_CREATE_AFTER,
  retry: { maximumAttempts: 1 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  priority: SOON,
});

/**
 * Claims the key in the ledger, and reads the ledger's record of the key. If the caller sets no time limit, the call waits
 * until a worker takes it. The Temporal server repeats the call after passing faults, such as a worker without the ledger or
 * a lost worker. The repeats last more than a minute: for that long, the server may dispatch calls to an open poll of a lost
 * worker. If all attempts fail, a lost create counts as one that may have been sent.
 */
export const { lookUpCreate } = proxyActivities<Pick<PaymentActivities, 'lookUpCreate'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 12 },
  priority: SOON,
});

/**
 * Polls once, for a refresh. The workflow decides what a failure means. The poll ends by itself, so the workflow never
 * asks the Temporal server to cancel it.
 */
export const { pollSession } = proxyActivities<Pick<PaymentActivities, 'pollSession'>>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: LOST_AFTER,
  retry: { maximumAttempts: 1 },
  priority: SOON,
});

/** The way the Temporal server dispatches a call. */
type Dispatch = Pick<ActivityOptions, 'allowEagerDispatch'>;

/** The activity ends itself at the deadline. Its time limit is this much later. */
const GRACE_MS = 60_000;

/**
 * Follows a session. The Temporal server repeats the activity after a lost worker, and when an attempt asks for
 * another. The workflow handles all other failures. If the workflow stops the activity, the activity ends at its next
 * heartbeat at the latest. The workflow does not wait for that.
 */
export function followFor(
  { heartbeatTimeoutMs, heldUpToMs }: Guard,
  input: FollowSessionInput,
  dispatch: Dispatch,
): Promise<PollResult> {
  const scheduleToCloseTimeout = input.forMs + GRACE_MS;
  return followWith(input, {
    scheduleToCloseTimeout,
    // An attempt that holds the session may last as long as the activity. Any other attempt is one poll.
    startToCloseTimeout: heldUpToMs === undefined ? '2m' : scheduleToCloseTimeout,
    heartbeatTimeout: heartbeatTimeoutMs,
    summary: 'follow the session',
    ...dispatch,
  });
}

/** The extra time for the poll after the deadline. If no worker is back within it, workers are probably away for long. */
const LAST_LOOK_WITHIN_MS = 5 * 60_000;
const LOST_WITH_LAST_LOOK_AFTER = '30s';

/** Polls once after the deadline, as soon as a worker can. The call ends `forMs` and five minutes later at the latest. */
export function lookFor(forMs: number, input: FollowSessionInput, dispatch: Dispatch): Promise<PollResult> {
  return followWith(input, {
    scheduleToCloseTimeout: forMs + LAST_LOOK_WITHIN_MS,
    startToCloseTimeout: '2m',
    heartbeatTimeout: LOST_WITH_LAST_LOOK_AFTER,
    summary: 'poll once more, after the deadline',
    ...dispatch,
  });
}

function followWith(input: FollowSessionInput, times: ActivityOptions): Promise<PollResult> {
  const { followSession } = proxyActivities<Pick<PaymentActivities, 'followSession'>>({
    ...times,
    retry: { initialInterval: '1s', backoffCoefficient: 1, nonRetryableErrorTypes: [...REFUSALS] },
    cancellationType: ActivityCancellationType.TRY_CANCEL,
  });
  return followSession(input);
}

/**
 * Cancels the session. Cancelling twice is harmless, so the Temporal server repeats the call after a passing fault, and
 * the workflow makes it again until the cancel is settled.
 */
export const { cancelSession } = proxyActivities<Pick<PaymentActivities, 'cancelSession'>>({
  startToCloseTimeout: '45s',
  heartbeatTimeout: LOST_AFTER,
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 },
  priority: FIRST,
});

/**
 * Claims a session for a key, or only checks if the key could claim it. The same key may claim again. A claim waits up
 * to about twenty seconds for the answers of other keys and for Temporal's visibility index. An operator waits for the
 * result. Within a minute, the Temporal server repeats a claim that the ledger may have recorded.
 */
export const { claimSession } = proxyActivities<Pick<PaymentActivities, 'claimSession'>>({
  scheduleToCloseTimeout: '1m',
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2 },
  priority: FIRST,
});

/** Reads the session, for a cancel or for a person. The workflow decides what a failure means. */
export const { findSession } = proxyActivities<Pick<PaymentActivities, 'findSession'>>({
  startToCloseTimeout: '45s',
  heartbeatTimeout: LOST_AFTER,
  retry: { maximumAttempts: 1 },
  priority: FIRST,
});

/**
 * Returns the failure of an activity. An activity reports an error code as the failure's type, and the failure of its
 * call to the service, if there was one, as its first detail. If no worker took the activity in time, the failure says
 * so. Any other failure counts as an interrupted call.
 */
export function callFailureOf(error: unknown): CallFailure {
  const cause = applicationFailureOf(error);
  if (cause?.type != null && isErrorCode(cause.type)) {
    const detail = cause.details?.[0] as ServiceFailure | undefined;
    return detail ?? { code: cause.type, message: cause.message };
  }
  if (isNeverStarted(error)) return NOT_TAKEN;
  const code = 'SERVICE_INTERRUPTED';
  return { code, message: withRemedy(code, 'The worker that made the call was lost before it answered.') };
}

/** The failure of an activity that no worker took in time. */
export const NOT_TAKEN: CallFailure = { code: 'WORKER_UNAVAILABLE', message: explain('WORKER_UNAVAILABLE') };

/** True if no worker took the activity in time, so that nothing was done. */
export const isNeverStarted = (error: unknown): boolean =>
  timeoutOf(error)?.timeoutType === 'SCHEDULE_TO_START';

/**
 * Returns the details of the last heartbeat of an activity that timed out after the Temporal server had dispatched it:
 * the worker was lost, or never received the task. `lastDetails` is `undefined` if no heartbeat had details. Returns
 * `undefined` for every other failure.
 */
export function lostActivityOf(error: unknown): { readonly lastDetails: unknown } | undefined {
  const timeout = timeoutOf(error);
  if (timeout === undefined || isNeverStarted(error)) return undefined;
  return { lastDetails: timeout.lastHeartbeatDetails };
}

/**
 * True if the activity has used up the time for all of its attempts. If no worker takes the first attempt, the Temporal
 * server reports that time limit as a schedule-to-start timeout.
 */
export const isTimeUp = (error: unknown): boolean =>
  timeoutOf(error)?.timeoutType === 'SCHEDULE_TO_CLOSE' ||
  isNeverStarted(error) ||
  applicationFailureOf(error)?.type === FOLLOW_AGAIN;

function timeoutOf(error: unknown): TimeoutFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof TimeoutFailure ? cause : undefined;
}

function applicationFailureOf(error: unknown): ApplicationFailure | undefined {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure ? cause : undefined;
}
