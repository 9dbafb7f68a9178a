/** Traces of payment sessions, with OpenTelemetry. */

// First, because everything below needs this package.
import './packages';
export { clientTracing } from './client';
export { workerTracing } from './worker';
export type { WorkerTracingOptions } from './worker';
export type { ClientTracing, WorkerTracing } from './worker-tracing';
export type { TracedPolls } from './exchanges';
export type { ClientTracingOptions } from './spans';
