import { currentDetails as original } from '../../../src/protocol/temporal/visibility';

export * from '../../../src/protocol/temporal/visibility';

export const currentDetails: typeof original = (key, state) => `Session: ${original(key, state)}`;
