import { currentDetails as original } from '../../../src/protocol/summaries';

export * from '../../../src/protocol/summaries';

export const currentDetails: typeof original = (key, state) => `Session: ${original(key, state)}`;
