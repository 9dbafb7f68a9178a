import { asyncLocalStorage, type Context, type Info } from '@temporalio/activity';

/** What an activity learns of its execution when it is its first. */
export const firstExecution: Partial<Info> = {
  attempt: 1,
  scheduledTimestampMs: 1_000,
  currentAttemptScheduledTimestampMs: 1_000,
};

/** Runs an activity where it finds its context, as a worker does. */
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
