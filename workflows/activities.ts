/**
 * The proxies by which the workflow calls its activities, with timeouts, retry policies and priorities. At the end,
 * functions that interpret the activities' failures.
 */
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
 * The priorities of calls, which matter when workers fall behind. Cancels, adoptions and previews of adoptions come first,
 * then creates and refreshes. All other polls have Temporal's default priority, 3.
 */
const FIRST = { priorityKey: 1 };
const SOON = { priorityKey: 2 };

/**
 * The time without a heartbeat after which the Temporal server considers the worker of a call lost. Calls to the payment
 * service send heartbeats, so the server does not have to wait for the call's full timeout. A create gets more time: if the
 * server gives up a create too soon, a session that no workflow follows may remain at the payment service.
 */
const LOST_AFTER = '10s';
const LOST_WITH_CREATE_AFTER = '20s';

/**
 * Gets an access token if a create has found none. A worker usually has a token already. The Temporal server repeats the
 * call a few times after passing faults. After longer faults, or if the service asks for a wait, the workflow itself waits,
 * so that the session's state shows the wait.
 */
export const { authenticate } = proxyActivities<Pick<PaymentActivities, 'authenticate'>>({
  startToCloseTimeout: '45s',
  heartbeatTimeout: LOST_AFTER,
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 4 },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  priority: SOON,
});

/**
 * Creates the session. The service has no idempotency key, so the Temporal server never retries the call. The cancellation
 * type makes a cancel wait for the outcome of a create that is running.
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
 * until a worker takes it.
 *
 * The Temporal server repeats the call after passing faults, such as a worker without the ledger or a lost worker. It
 * repeats the call for more than a minute, because for about a minute, it may still dispatch calls to a lost worker whose
 * poll is open. If all attempts fail, the workflow assumes that a lost create was sent.
 */
export const { lookUpCreate } = proxyActivities<Pick<PaymentActivities, 'lookUpCreate'>>({
  startToCloseTimeout: '10s',
  retry: { initialInterval: '200ms', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 12 },
  priority: SOON,
});

/**
 * Polls once, for a refresh. The workflow interprets a failure. The poll always ends soon, so the workflow never cancels
 * it.
 */
export const { pollSession } = proxyActivities<Pick<PaymentActivities, 'pollSession'>>({
  startToCloseTimeout: '2m',
  heartbeatTimeout: LOST_AFTER,
  retry: { maximumAttempts: 1 },
  priority: SOON,
});

/** Options for the dispatch of a call to a worker. */
type Dispatch = Pick<ActivityOptions, 'allowEagerDispatch'>;

/** The activity ends by itself when its time is over. Temporal's time limit for it is this much later. */
const GRACE_MS = 60_000;

/**
 * Follows a session: polls it until there is something to report. The Temporal server repeats the activity if its worker is
 * lost, or if an attempt asks for the next attempt. The workflow handles all other failures. If the workflow stops the
 * activity, the workflow continues at once, and the activity ends at its next heartbeat at the latest.
 */
export function followFor(
  { heartbeatTimeoutMs, heldUpToMs }: Guard,
  input: FollowSessionInput,
  dispatch: Dispatch,
): Promise<PollResult> {
  const scheduleToCloseTimeout = input.forMs + GRACE_MS;
  return followWith(input, {
    scheduleToCloseTimeout,
    // An attempt that holds the session (keeps it in the worker's memory) may last as long as the activity. Any other
    // attempt is one poll.
    startToCloseTimeout: heldUpToMs === undefined ? '2m' : scheduleToCloseTimeout,
    heartbeatTimeout: heartbeatTimeoutMs,
    summary: 'follow the session',
    ...dispatch,
  });
}

/**
 * The extra time for the last poll, after the deadline. If no worker takes the poll within this time, workers are probably
 * away for long.
 */
const LAST_LOOK_WITHIN_MS = 5 * 60_000;
const LOST_WITH_LAST_LOOK_AFTER = '30s';

/**
 * Makes the last poll, after the deadline, as soon as a worker can. The call ends after `forMs` and five more minutes at
 * the latest.
 */
export function pollAfterDeadline(
  forMs: number,
  input: FollowSessionInput,
  dispatch: Dispatch,
): Promise<PollResult> {
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
 * Cancels the session. Cancelling twice is harmless. So the Temporal server repeats the call after a passing fault, and the
 * workflow repeats it until the cancellation has an outcome.
 */
export const { cancelSession } = proxyActivities<Pick<PaymentActivities, 'cancelSession'>>({
  startToCloseTimeout: '45s',
  heartbeatTimeout: LOST_AFTER,
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 },
  priority: FIRST,
});

/**
 * Claims a session of the payment service for a key, or only checks whether the key could claim it. A key may claim its
 * session again.
 *
 * A claim takes up to about twenty seconds, because it waits for the answers of other keys and for Temporal's visibility
 * index. An operator waits for the result, so the time for all attempts is a minute.
 */
export const { claimSession } = proxyActivities<Pick<PaymentActivities, 'claimSession'>>({
  scheduleToCloseTimeout: '1m',
  startToCloseTimeout: '30s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2 },
  priority: FIRST,
});

/** Reads a session by its id, for a cancel or for a person. The workflow interprets a failure. */
export const { findSession } = proxyActivities<Pick<PaymentActivities, 'findSession'>>({
  startToCloseTimeout: '45s',
  heartbeatTimeout: LOST_AFTER,
  retry: { maximumAttempts: 1 },
  priority: FIRST,
});

/**
 * Converts an activity's error to a failure with an error code. An activity reports the code as the error's type, and a
 * failed call to the service as the error's first detail. If no worker took the activity in time, the code is
 * `WORKER_UNAVAILABLE`. Any other error counts as an interrupted call.
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

/** True if no worker took the activity in time. The activity then has done nothing. */
export const isNeverStarted = (error: unknown): boolean =>
  timeoutOf(error)?.timeoutType === 'SCHEDULE_TO_START';

/**
 * Returns the details of an activity's last heartbeat, if the activity timed out after the Temporal server had dispatched
 * it. The worker was then lost, or never received the task. `lastDetails` is `undefined` if no heartbeat had details.
 * Returns `undefined` for any other failure.
 */
export function lostActivityOf(error: unknown): { readonly lastDetails: unknown } | undefined {
  const timeout = timeoutOf(error);
  if (timeout === undefined || isNeverStarted(error)) return undefined;
  return { lastDetails: timeout.lastHeartbeatDetails };
}

/**
 * True if the time for all attempts of the activity is over. If no worker took the first attempt, the Temporal server
 * reports this time limit as a schedule-to-start timeout.
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
