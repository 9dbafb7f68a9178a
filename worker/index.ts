// First, because everything below needs these packages.
import './process/packages';
export { createWorker } from './create-worker';
export type { PaymentWorker, PaymentWorkerOptions } from './create-worker';
export type { WorkerDeployment } from './workflow-code/versioning';
export { ServiceClients } from './services/service-clients';
export type { ServiceClientsOptions } from './services/service-clients';
export type { Accounts } from '../src/settings';
export { ensureSearchAttributes, missingSearchAttributes } from './search-attributes';
export type { CallClass, ServiceEvents, ServiceObserver } from '../src/service';
export { serveHealth, serveProbes } from './health/serve-probes';
export type { HealthServer, ProbeOptions } from './health/serve-probes';
export type { HealthCheck, HealthWatch } from './health/health-check';
export { runWorker } from './process/run-worker';
export type { RunWorkerOptions } from './process/run-worker';
export { installRuntime } from './process/runtime';
export type { WorkerLog } from './logs/worker-log';
