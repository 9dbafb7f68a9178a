export * from '../../../workflows/steps/activity-proxies';

export const authenticate = { executeWithOptions: () => Promise.resolve() };
