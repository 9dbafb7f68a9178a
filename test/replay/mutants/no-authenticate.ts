export * from '../../../workflows/steps/activity-proxies';

export const authenticateInTask = { executeWithOptions: () => Promise.resolve() };
