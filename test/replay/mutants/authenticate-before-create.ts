import * as original from '../../../workflows/activities';

export * from '../../../workflows/activities';

export const createSession: Pick<typeof original.createSession, 'executeWithOptions'> = {
  executeWithOptions: async (options, [input]) => {
    await original.authenticate({ account: input.account });
    return original.createSession.executeWithOptions(options, [input]);
  },
};
