/** Traces of payment sessions, with OpenTelemetry. */

// First, because everything below needs the package that this module checks for.
import './packages';
export { clientTracing } from './client';
export { workerTracing } from './session-spans';
export type { ClientTracing, WorkerTracing } from './worker-tracing';
