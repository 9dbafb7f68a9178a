import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { PaymentActivities } from '../../src/protocol/activities';

/** Each activity with its timeouts, retry policy and place in a backlog, and why. */

/** Workers that fall behind take cancels first, then what a payor waits for; polls have the engine's default of 3. */
const FIRST = { priorityKey: 1 };
const SOON = { priorityKey: 2 };

/**
 * A worker mostly has its token already: asked for within the workflow task, it costs the session no task of its own. The task
 * is held meanwhile, and cancels with it, so a service that is slow or fails is soon left to the activity below.
 */
export const { authenticate: authenticateInTask } = proxyLocalActivities<
  Pick<PaymentActivities, 'authenticate'>
>({
  scheduleToCloseTimeout: '1s',
  retry: { maximumAttempts: 1 },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
});

/**
 * Passing faults are repeated a few times here; longer ones, and waits that the service asks for, show in the session's state
 * while the workflow waits.
 */
export const { authenticate } = proxyActivities<Pick<PaymentActivities, 'authenticate'>>({
  startToCloseTimeout: '45s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumAttempts: 4 },
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  priority: SOON,
});

/**
 * The service has no idempotency key, so the engine never repeats a create. The default cancellation type would leave a
 * create in flight behind; this one waits for its outcome.
 */
export const { createSession } = proxyActivities<Pick<PaymentActivities, 'createSession'>>({
  startToCloseTimeout: '90s',
  retry: { maximumAttempts: 1 },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  priority: SOON,
});

/**
 * The workflow repeats polls on its own cadence. A burst that is interrupted ends with what it has seen, which still counts;
 * the workflow goes on meanwhile.
 */
const POLL = { startToCloseTimeout: '2m', heartbeatTimeout: '20s', retry: { maximumAttempts: 1 } } as const;
export const { pollSession: pollInBurst } = proxyActivities<Pick<PaymentActivities, 'pollSession'>>({
  ...POLL,
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});
export const { pollSession: pollSingly } = proxyActivities<Pick<PaymentActivities, 'pollSession'>>(POLL);

/** Cancelling twice is harmless: repeated through a passing fault here, and by the workflow until it is settled. */
export const { cancelSession } = proxyActivities<Pick<PaymentActivities, 'cancelSession'>>({
  startToCloseTimeout: '45s',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 },
  priority: FIRST,
});

/** Reads only, for a cancel or a person; the workflow decides what a failure means. */
export const { findSession } = proxyActivities<Pick<PaymentActivities, 'findSession'>>({
  startToCloseTimeout: '45s',
  retry: { maximumAttempts: 1 },
  priority: FIRST,
});
