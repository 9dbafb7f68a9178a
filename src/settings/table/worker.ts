import { taskQueue, text, workerCount } from '../setting-values';
import type { Setting } from './setting';

/** Which work a worker takes, and what it is to Temporal’s worker versioning. */
export const WORKER_SETTINGS = [
  {
    name: 'PAYSESSION_TASK_QUEUE',
    subject: 'Worker',
    meaning: 'The task queue that clients and workers share.',
    default: 'payment-sessions',
    secret: false,
    schema: taskQueue,
  },
  {
    name: 'TEMPORAL_DEPLOYMENT_NAME',
    subject: 'Worker',
    meaning:
      'Name of the worker deployment, for Temporal’s worker versioning. If unset, the worker is not versioned. Temporal’s Kubernetes controller sets it.',
    secret: false,
    schema: text,
  },
  {
    name: 'TEMPORAL_WORKER_BUILD_ID',
    subject: 'Worker',
    meaning: 'Build id of this worker within its deployment. Set it together with the name.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_WORKERS',
    subject: 'Worker',
    meaning:
      'How many workers share the accounts’ `callsPerSecond`. If unset, each worker counts the workers that poll its task queue.',
    secret: false,
    schema: workerCount,
  },
] as const satisfies readonly Setting[];
