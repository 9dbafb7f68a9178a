export { createWorker } from './create-worker';
export type { PaymentWorker, PaymentWorkerOptions, WorkerDeployment } from './create-worker';
export { ServiceClients } from './service-directory';
export type { Accounts } from '../src/settings';
export { ensureSearchAttributes, missingSearchAttributes } from './search-attributes';
export { serveHealth } from './health';
export type { HealthServer } from './health';
export { runWorker } from './run-worker';
export type { RunWorkerOptions } from './run-worker';
