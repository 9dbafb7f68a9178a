import { asyncLocalStorage, type Context, type Info } from '@temporalio/activity';
import type { SessionRequest } from '../../../src/contract';
import type { ActivityCompletion } from '../../../activities/activity-attempt';
import type { CreateSessionInput } from '../../../src/protocol/activities';

const RUN = 'run-1';

/** Temporal’s information about an activity in its first attempt. */
export const firstExecution: Partial<Info> = {
  workflowExecution: { workflowId: 'payment-session/order-7', runId: RUN },
  attempt: 1,
  scheduledTimestampMs: 1_000,
  currentAttemptScheduledTimestampMs: 1_000,
};

/** Returns the input of a create activity that belongs to the workflow run of `firstExecution`. */
export const createInput = (request: SessionRequest): CreateSessionInput => ({
  account: 'default',
  request,
  withinMs: 60_000,
  runId: RUN,
  claim: { key: 'order-7', firstRunId: RUN },
});

/** A fake Temporal server that accepts every heartbeat and every result. */
export const takesAll = {
  heartbeat: () => Promise.resolve(),
  complete: () => Promise.resolve(),
} as Partial<ActivityCompletion> as ActivityCompletion;

/** Runs an activity function in an activity context, as a worker does. */
export function asActivity<T>(
  run: () => Promise<T>,
  context: { readonly info?: Partial<Info> } = {},
): Promise<T> {
  const whole = {
    info: {},
    cancellationSignal: new AbortController().signal,
    heartbeat: () => undefined,
    ...context,
  };
  return asyncLocalStorage.run(whole as unknown as Context, run);
}
