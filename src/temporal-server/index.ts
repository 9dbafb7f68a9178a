export { findOnMachine, resolveTemporalServer } from './resolve-temporal-server';
export type { ResolveTemporalServerOptions } from './resolve-temporal-server';
export { TemporalServerNotFoundError } from './program-search';
export type { OnProgress } from './progress';
export { DEVELOPMENT_DYNAMIC_CONFIG, startTemporalServer } from './start-temporal-server';
export { startTestServer } from './start-server';
export type { RunningTemporalServer } from './start-server';
export type { StartTemporalServerOptions } from './start-temporal-server';
export { resolveTestServer } from './resolve-test-server';
