import type * as original from '../../../workflows/calls/activity-proxies';

export * from '../../../workflows/calls/activity-proxies';

export const createSession: Pick<typeof original.createSession, 'executeWithOptions'> = {
  executeWithOptions: () =>
    Promise.resolve({ outcome: 'created', sessionId: 'known', referenceId: null, checkoutUrl: 'known' }),
};
