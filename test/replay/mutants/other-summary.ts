import { summaryOf as original } from '../../../workflows/views';

export * from '../../../workflows/views';

export const summaryOf: typeof original = (record) => `Session: ${original(record)}`;
