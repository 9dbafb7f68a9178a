import type * as original from '../../../workflows/activities';

export * from '../../../workflows/activities';

export const createSession: Pick<typeof original.createSession, 'executeWithOptions'> = {
  executeWithOptions: () =>
    Promise.resolve({ outcome: 'created', sessionId: 'known', referenceId: null, checkoutUrl: 'known' }),
};
