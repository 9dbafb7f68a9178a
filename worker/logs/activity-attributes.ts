import type { ActivityInterceptorsFactory, WorkerInterceptors } from '@temporalio/worker';

/** The interceptors of a worker, and ours. */
export function withActivityAttributes(interceptors: WorkerInterceptors = {}): WorkerInterceptors {
  return { ...interceptors, activity: [activityAttributes, ...(interceptors.activity ?? [])] };
}

/** Puts the account on each line that is logged about an activity; the SDK puts the session and its run there. */
const activityAttributes: ActivityInterceptorsFactory = () => {
  let account: string | undefined;
  return {
    inbound: {
      execute: (input, next) => {
        account = accountOf(input.args[0]);
        return next(input);
      },
    },
    outbound: {
      getLogAttributes: (attributes, next) =>
        next({ ...attributes, ...(account !== undefined && { account }) }),
    },
  };
};

/** The account that an activity's argument names; workflows of any version, and other SDKs, may have sent it. */
export function accountOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('account' in input)) return undefined;
  return typeof input.account === 'string' ? input.account : undefined;
}
