import { currentDetails as original } from '../../../src/protocol/temporal/summaries';

export * from '../../../src/protocol/temporal/summaries';

export const currentDetails: typeof original = (key, state) => `Session: ${original(key, state)}`;
