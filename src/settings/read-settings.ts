import type { ValidationFailure } from '../contract';
import type { PaymentServiceOptions } from '../service';
import { loadAccounts, parseAccountSources, type Accounts } from './accounts';
import { readCacheFolder } from './temporal-server-settings';
import {
  parseSettings,
  refuseFailures,
  type Environment,
  type Parsed,
  unknownSettings,
} from './parse-settings';
import { loadWebhooks, parseWebhookSources, type WebhookSettings } from './webhooks/endpoints';
import { parseLedger, type LedgerSettings } from './ledger-settings';
import { exposedSecretFiles, parseSecret } from './secret-files';
import type { LogFormat, LogLevel } from './setting-values';
import { parseTemporalSettings, type TemporalSettings } from './temporal-settings';

/** Settings of a worker. */
export interface WorkerSettings extends TemporalSettings {
  readonly accounts: Accounts;
  /** Timeouts of the calls to the payment service. */
  readonly service: Pick<PaymentServiceOptions, 'headersTimeoutMs' | 'exchangeTimeoutMs'>;
  /** True if plain http to another machine is allowed without a warning. */
  readonly allowHttp: boolean;
  /** The number of workers that share the accounts' rate limits; if absent, each worker counts them. */
  readonly workers?: number;
  /** Port of the health endpoint; if absent, the worker has no health endpoint. */
  readonly healthPort?: number;
  /** The address that the health endpoint listens on. */
  readonly healthHost: string;
  /** Address of the metrics; if absent, the worker serves no metrics. */
  readonly metrics?: { readonly port: number; readonly host: string };
  /** The lowest level that is logged, and the format of lines; if absent, the format depends on the terminal. */
  readonly log: { readonly level: LogLevel; readonly format?: LogFormat };
  /** The settings that name a file of secrets which every user of the machine can read. */
  readonly exposedFiles: readonly string[];
  /** Settings of the worker's traces; if absent, it does not trace. */
  readonly traces?: { readonly polls: 'changes' | 'all' };
  /** The endpoint of hints; if absent, the worker has none. */
  readonly hints?: { readonly port: number; readonly host: string; readonly secret: string };
  /** The ledger; if absent, the worker uses none. */
  readonly ledger?: LedgerSettings;
  /** The endpoints of webhooks of sessions; if absent, none are sent. Needs a ledger. */
  readonly webhooks?: WebhookSettings;
  /** Version of the worker; if absent, it is not versioned. */
  readonly deployment?: { readonly name: string; readonly buildId: string };
}

/** All settings but the console's; `accounts` may be empty. */
export interface Settings extends WorkerSettings {
  /** Absolute path of the folder for a downloaded or built Temporal server. */
  readonly cacheFolder: string;
}

/**
 * Reads every setting but the console's. Throws `SettingsError` with all failures at once, and `PaysessionError` `INVALID_FILE` for the
 * accounts file.
 */
export function readSettings(env: Environment = process.env): Settings {
  return { ...readForWorker(env, { required: false }), cacheFolder: readCacheFolder(env) };
}

/** Reads a worker's settings. Throws the errors of `readSettings`, and refuses a worker without an account. */
export function readWorkerSettings(env: Environment = process.env): WorkerSettings {
  return readForWorker(env, { required: true });
}

function readForWorker(env: Environment, accounts: { readonly required: boolean }): WorkerSettings {
  const temporal = parseTemporalSettings(env);
  const sources = parseAccountSources(env, accounts);
  const own = parseOwn(env);
  const hints = parseHints(env);
  const deployment = parseDeployment(env);
  const ledger = parseLedger(env, temporal.value);
  const webhooks = parseWebhookSources(env);
  const parts = [temporal, sources, own, hints, ledger, webhooks, deployment];
  refuseFailures([
    ...unknownSettings(env, 'worker'),
    ...parts.flatMap(({ failures }) => failures),
    ...webhooksWithoutLedger(webhooks.value, ledger.value),
  ]);
  const endpoints = loadWebhooks(webhooks.value);
  return {
    ...temporal.value,
    accounts: loadAccounts(sources.value),
    ...own.value,
    ...hints.value,
    ...ledger.value,
    ...(endpoints !== undefined && { webhooks: endpoints }),
    ...deployment.value,
    exposedFiles: exposedSecretFiles(env),
  };
}

type OwnSettings = Pick<
  WorkerSettings,
  'service' | 'allowHttp' | 'workers' | 'healthPort' | 'healthHost' | 'metrics' | 'log' | 'traces'
>;

/** The time to connect, and for an answer that has begun to end. */
const REST_OF_ANSWER_MS = 5_000;

/** Reads the worker's own settings: its calls of the payment service and its observability. */
function parseOwn(env: Environment): Parsed<OwnSettings> {
  const { value, failures } = parseSettings(env, [
    'PAYSESSION_ANSWER_TIMEOUT',
    'PAYSESSION_ALLOW_HTTP',
    'PAYSESSION_WORKERS',
    'PAYSESSION_HEALTH_PORT',
    'PAYSESSION_HEALTH_HOST',
    'PAYSESSION_METRICS_PORT',
    'PAYSESSION_METRICS_HOST',
    'PAYSESSION_LOG_LEVEL',
    'PAYSESSION_LOG_FORMAT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    'PAYSESSION_TRACED_POLLS',
  ]);
  const {
    PAYSESSION_WORKERS: workers,
    PAYSESSION_HEALTH_PORT: healthPort,
    PAYSESSION_METRICS_PORT: metricsPort,
    PAYSESSION_LOG_FORMAT: format,
  } = value;
  // Tracing is on if OpenTelemetry's own variables name a collector.
  const tracesTo = value.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? value.OTEL_EXPORTER_OTLP_ENDPOINT;
  const settings = {
    service: {
      headersTimeoutMs: value.PAYSESSION_ANSWER_TIMEOUT,
      exchangeTimeoutMs: value.PAYSESSION_ANSWER_TIMEOUT + REST_OF_ANSWER_MS,
    },
    allowHttp: value.PAYSESSION_ALLOW_HTTP ?? false,
    ...(workers !== undefined && { workers }),
    healthHost: value.PAYSESSION_HEALTH_HOST,
    ...(healthPort !== undefined && { healthPort }),
    ...(metricsPort !== undefined && { metrics: { port: metricsPort, host: value.PAYSESSION_METRICS_HOST } }),
    log: { level: value.PAYSESSION_LOG_LEVEL, ...(format !== undefined && { format }) },
    ...(tracesTo !== undefined && { traces: { polls: value.PAYSESSION_TRACED_POLLS } }),
  };
  return { value: settings, failures };
}

/** Reads the endpoint of hints. With a port or a secret alone, it would be open to all, or silently missing. */
function parseHints(env: Environment): Parsed<Pick<WorkerSettings, 'hints'>> {
  const { value, failures } = parseSettings(env, ['PAYSESSION_HINT_PORT', 'PAYSESSION_HINT_HOST']);
  const secret = parseHintSecret(env);
  const found = [...failures, ...secret.failures];
  const { PAYSESSION_HINT_PORT: port, PAYSESSION_HINT_HOST: host } = value;
  if (port !== undefined && secret.value !== undefined)
    return { value: { hints: { port, host, secret: secret.value } }, failures: found };
  const isOff = port === undefined && secret.value === undefined;
  if (isOff || found.length > 0) return { value: {}, failures: found };
  const path = port === undefined ? 'PAYSESSION_HINT_PORT' : 'PAYSESSION_HINT_SECRET';
  return { value: {}, failures: [{ path, message: 'is missing: hints need a port and a secret' }] };
}

const parseHintSecret = (env: Environment) =>
  parseSecret(env, 'PAYSESSION_HINT_SECRET', 'PAYSESSION_HINT_SECRET_FILE');

/** Returns the secret of hints, if one is set. Throws `SettingsError`. */
export function readHintSecret(env: Environment): string | undefined {
  const { value, failures } = parseHintSecret(env);
  refuseFailures(failures);
  return value;
}

/** Returns a failure if webhooks are set without the ledger that sends them. */
function webhooksWithoutLedger(
  { single, file }: ReturnType<typeof parseWebhookSources>['value'],
  { ledger }: Pick<WorkerSettings, 'ledger'>,
): readonly ValidationFailure[] {
  if (ledger !== undefined || (single === undefined && file === undefined)) return [];
  const path = single === undefined ? 'PAYSESSION_WEBHOOK_FILE' : 'PAYSESSION_WEBHOOK_URL';
  return [{ path, message: 'needs a ledger: set PAYSESSION_LEDGER_URL' }];
}

/** With only one of the two variables, a worker that should be versioned would run unversioned. */
function parseDeployment(env: Environment): Parsed<Pick<WorkerSettings, 'deployment'>> {
  const names = ['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID'] as const;
  const { value, failures } = parseSettings(env, names);
  const { TEMPORAL_DEPLOYMENT_NAME: name, TEMPORAL_WORKER_BUILD_ID: buildId } = value;
  if (name !== undefined && buildId !== undefined)
    return { value: { deployment: { name, buildId } }, failures };
  const missing = name === buildId ? [] : names.filter((variable) => value[variable] === undefined);
  const message = 'is missing: a worker’s version needs a deployment name and a build id';
  return { value: {}, failures: [...failures, ...missing.map((path) => ({ path, message }))] };
}
