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
import { fileRow, type SettingRow } from './setting-row';

/** Settings of a worker: its task queue, version, health endpoint, metrics, log, traces and endpoint for hints. */
export const WORKER_SETTINGS = [
  {
    name: 'PAYSESSION_TASK_QUEUE',
    meaning: 'The task queue that clients and workers share.',
    default: 'payment-sessions',
    schema: taskQueue,
  },
  {
    name: 'TEMPORAL_DEPLOYMENT_NAME',
    meaning:
      'Name of the worker deployment, for Temporal’s worker versioning. If unset, the worker is not versioned. Temporal’s Kubernetes controller sets it.',
    schema: text,
  },
  {
    name: 'TEMPORAL_WORKER_BUILD_ID',
    meaning: 'Build id of this worker within its deployment. Set it together with the name.',
    schema: text,
  },
  {
    name: 'PAYSESSION_WORKERS',
    meaning:
      'The number of workers that share the rate limits of the accounts (`callsPerSecond`). If unset, each worker counts the workers that poll its task queue.',
    schema: workerCount,
  },
  {
    name: 'PAYSESSION_HEALTH_PORT',
    meaning:
      'Port of the worker’s health endpoint: `/livez`, `/readyz` and `/healthz`. If unset, the worker has none.',
    schema: port,
  },
  {
    name: 'PAYSESSION_HEALTH_HOST',
    meaning:
      'The address that the health endpoint listens on. Probes from outside, such as those of Kubernetes, need 0.0.0.0 (or ::).',
    default: '127.0.0.1',
    schema: host,
  },
  {
    name: 'PAYSESSION_METRICS_PORT',
    meaning:
      'Port of the worker’s metrics, `/metrics` in Prometheus’ format. docs/reference/metrics.md lists them. If unset, the worker serves none.',
    schema: port,
  },
  {
    name: 'PAYSESSION_METRICS_HOST',
    meaning:
      'The IP address that the metrics endpoint listens on. A Prometheus on another machine needs 0.0.0.0 (or ::).',
    default: '127.0.0.1',
    schema: ipAddress,
  },
  {
    name: 'PAYSESSION_LOG_LEVEL',
    meaning:
      'The lowest level that a worker logs: debug, info, warn or error. At info, the worker logs a few lines as it starts and stops, and otherwise only what an operator should know.',
    default: 'info',
    schema: logLevel,
  },
  {
    name: 'PAYSESSION_LOG_FORMAT',
    meaning:
      'The format of a worker’s log on standard error: text, or json with one object per line. If unset: text in a terminal, json otherwise.',
    schema: logFormat,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'The URL to which the worker sends its traces, by OTLP. If neither this nor the next setting is set, the worker makes no traces. OpenTelemetry’s other variables apply as OpenTelemetry defines them.',
    showsOrigin: true,
    schema: baseUrlSchema,
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    meaning: 'The whole URL for traces, with its path. It takes precedence over OTEL_EXPORTER_OTLP_ENDPOINT.',
    showsOrigin: true,
    schema: baseUrlSchema,
  },
  {
    name: 'PAYSESSION_TRACED_POLLS',
    meaning:
      'The polls that become spans of a trace: only polls that found a change or failed (changes), or all polls (all). A poll for a refresh always becomes a span.',
    default: 'changes',
    schema: tracedPolls,
  },
  {
    name: 'PAYSESSION_HINT_PORT',
    meaning:
      'Port of the worker’s endpoint of hints, `POST /hints`. A request that names a session makes a worker poll that session soon. The endpoint needs a secret. If unset, the worker has no such endpoint.',
    schema: port,
  },
  {
    name: 'PAYSESSION_HINT_HOST',
    meaning:
      'The address that the endpoint of hints listens on. A proxy on another machine needs 0.0.0.0 (or ::).',
    default: '127.0.0.1',
    schema: host,
  },
  {
    name: 'PAYSESSION_HINT_SECRET',
    meaning:
      'The secret that senders of hints send: at least 16 characters. They send it as a bearer token, or as the password of Basic authentication.',
    secret: true,
    schema: bearerToken,
  },
  fileRow('PAYSESSION_HINT_SECRET_FILE', 'that secret'),
] as const satisfies readonly SettingRow[];
