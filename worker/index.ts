// First, because everything below needs the packages that this module checks for.
import './packages';
export type { WorkerDeployment } from './workflow-source';
export { createWorker, ensureSearchAttributes } from './create-worker';
export type { PaymentWorker, PaymentWorkerOptions } from './create-worker';
export type { HintCheck, HintOptions, RawHint } from './hints';
export { ServiceClients } from './service-clients';
export type { Accounts } from '../src/settings';
export { serveProbes } from './probes';
export { runWorker } from './run-worker';
export { installRuntime } from './runtime';
export type { WorkerLog } from './observing/worker-log';
