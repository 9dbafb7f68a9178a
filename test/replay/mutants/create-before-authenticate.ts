import * as original from '../../../workflows/steps/activity-proxies';

export * from '../../../workflows/steps/activity-proxies';

export const authenticateInTask = { executeWithOptions: () => Promise.resolve() };

export const createSession: Pick<typeof original.createSession, 'executeWithOptions'> = {
  executeWithOptions: async (options, [input]) => {
    const created = await original.createSession.executeWithOptions(options, [input]);
    await original.authenticateInTask.executeWithOptions({}, [{ account: input.account }]);
    return created;
  },
};
