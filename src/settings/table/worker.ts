import {
  bearerToken,
  taskQueue,
  text,
  workerCount,
  baseUrlSchema,
  host,
  ipAddress,
  logFormat,
  logLevel,
  port,
  tracedPolls,
} from '../setting-values';
import type { Setting } from './setting';

/** Settings of a worker's work, and of its version for Temporal’s worker versioning. */
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

/** Settings of a worker's observability: health, metrics, log and traces. */
export const OBSERVABILITY_SETTINGS = [
  {
    name: 'PAYSESSION_HEALTH_PORT',
    subject: 'Worker',
    meaning:
      'Port of the worker’s health endpoint: `/livez`, `/readyz` and `/healthz`. If unset, there is none.',
    secret: false,
    schema: port,
  },
  {
    name: 'PAYSESSION_HEALTH_HOST',
    subject: 'Worker',
    meaning:
      'The address that the health endpoint listens on. Probes from outside, such as those of Kubernetes, need 0.0.0.0 (or ::).',
    default: '127.0.0.1',
    secret: false,
    schema: host,
  },
  {
    name: 'PAYSESSION_METRICS_PORT',
    subject: 'Worker',
    meaning:
      'Port of the worker’s metrics, `/metrics` in Prometheus’ format: docs/reference/metrics.md lists them. If unset, there are none.',
    secret: false,
    schema: port,
  },
  {
    name: 'PAYSESSION_METRICS_HOST',
    subject: 'Worker',
    meaning:
      'The IP address that the metrics endpoint listens on. For a Prometheus on another machine, 0.0.0.0 (or ::).',
    default: '127.0.0.1',
    secret: false,
    schema: ipAddress,
  },
  {
    name: 'PAYSESSION_LOG_LEVEL',
    subject: 'Worker',
    meaning:
      'The lowest level that a worker logs: debug, info, warn or error. At info, it writes a few lines as it starts and stops, and otherwise only what a person should know.',
    default: 'info',
    secret: false,
    schema: logLevel,
  },
  {
    name: 'PAYSESSION_LOG_FORMAT',
    subject: 'Worker',
    meaning:
      'How a worker logs, to standard error: text, or json with one object a line. If unset: text in a terminal, json otherwise.',
    secret: false,
    schema: logFormat,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    subject: 'Worker',
    meaning:
      'Where the worker sends its traces, by OTLP. If unset, it makes none. OpenTelemetry’s other variables count as it defines them.',
    secret: false,
    showsOrigin: true,
    schema: baseUrlSchema,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    subject: 'Worker',
    meaning: 'The same, with the path that traces are sent to.',
    secret: false,
    showsOrigin: true,
    schema: baseUrlSchema,
  },
  {
    name: 'PAYSESSION_TRACED_POLLS',
    subject: 'Worker',
    meaning: 'Which polls become spans of a trace: those that brought a change or failed (changes), or all.',
    default: 'changes',
    secret: false,
    schema: tracedPolls,
  },
] as const satisfies readonly Setting[];

/** Settings of the endpoint by which the payment service hints that sessions have changed. */
export const HINT_SETTINGS = [
  {
    name: 'PAYSESSION_HINT_PORT',
    subject: 'Worker',
    meaning:
      'Port of the worker’s endpoint of hints, `POST /hints`: a request that names a session makes the worker poll it soon. Needs a secret. If unset, there is none.',
    secret: false,
    schema: port,
  },
  {
    name: 'PAYSESSION_HINT_HOST',
    subject: 'Worker',
    meaning:
      'The address that the endpoint of hints listens on. Behind a proxy on another machine, 0.0.0.0 (or ::).',
    default: '127.0.0.1',
    secret: false,
    schema: host,
  },
  {
    name: 'PAYSESSION_HINT_SECRET',
    subject: 'Worker',
    meaning:
      'The secret that senders of hints send, as a bearer token or as the password of Basic authentication, at least 16 characters.',
    secret: true,
    schema: bearerToken,
  },
  {
    name: 'PAYSESSION_HINT_SECRET_FILE',
    subject: 'Worker',
    meaning: 'File with that secret instead, such as a mounted secret.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
] as const satisfies readonly Setting[];
