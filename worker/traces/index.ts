/** Traces of payment sessions, with OpenTelemetry. */

// First, because everything below needs this package.
import './packages';
export { clientTracing } from './client';
export { workerTracing } from './session-spans';
export type { ClientTracing, WorkerTracing } from './worker-tracing';
