import { defined } from '../contract/values/json';
import type { PaymentServiceOptions } from '../service';
import { loadAccounts, readAccountSources, type Accounts } from './accounts';
import { readAll, type Environment, type SettingsReader } from './parse-settings';
import {
  loadWebhooks,
  readWebhookSources,
  type WebhookSettings,
  type WebhookSources,
} from './webhooks/endpoints';
import { readLedger, type LedgerSettings } from './ledger-settings';
import { exposedSecretFiles, readSecret } from './secret-files';
import type { LogFormat, LogLevel } from './setting-values';
import { readTemporal, type TemporalSettings } from './temporal-settings';

/** Settings of a worker. */
export interface WorkerSettings extends TemporalSettings {
  readonly accounts: Accounts;
  /** The time limits of calls to the payment service. */
  readonly service: Pick<PaymentServiceOptions, 'headersTimeoutMs' | 'exchangeTimeoutMs'>;
  /** True if plain http to another machine is allowed without a warning. */
  readonly allowHttp: boolean;
  /** The number of workers that share the accounts' rate limits. If absent, each worker counts the running workers. */
  readonly workers?: number;
  /** The port of the health endpoint. If absent, the worker has no health endpoint. */
  readonly healthPort?: number;
  /** The address on which the health endpoint listens. */
  readonly healthHost: string;
  /** The port and host of the metrics endpoint. If absent, the worker has no metrics endpoint. */
  readonly metrics?: { readonly port: number; readonly host: string };
  /**
   * The lowest level that is logged, and the format of the log's lines. Without a format, the log is text in a terminal and JSON
   * elsewhere.
   */
  readonly log: { readonly level: LogLevel; readonly format?: LogFormat };
  /** The names of the settings whose files of secrets can be read by every user of the machine. */
  readonly exposedFiles: readonly string[];
  /** Settings of the worker's traces. If absent, the worker makes no traces. */
  readonly traces?: { readonly polls: 'changes' | 'all' };
  /**
   * The endpoint for hints. A hint is a request that makes a worker poll a session soon. If absent, the worker has no such endpoint.
   */
  readonly hints?: { readonly port: number; readonly host: string; readonly secret: string };
  /** The ledger. If absent, the worker has no ledger. */
  readonly ledger?: LedgerSettings;
  /** The endpoints to which webhooks are sent. Needs a ledger. If absent, the worker sends no webhooks. */
  readonly webhooks?: WebhookSettings;
  /** The worker's version, for Temporal's worker versioning. If absent, the worker is not versioned. */
  readonly deployment?: { readonly name: string; readonly buildId: string };
}

/**
 * Reads a worker's settings, which may have no account. Throws `SettingsError`. Throws `PaysessionError` `INVALID_FILE` if the accounts
 * file or the file of webhook endpoints cannot be used.
 */
export function readSettings(env: Environment = process.env): WorkerSettings {
  return readForWorker(env, { needsAccount: false });
}

/** Reads a worker's settings. Throws the errors of `readSettings`, and `SettingsError` if there is no account. */
export function readWorkerSettings(env: Environment = process.env): WorkerSettings {
  return readForWorker(env, { needsAccount: true });
}

function readForWorker(
  env: Environment,
  { needsAccount }: { readonly needsAccount: boolean },
): WorkerSettings {
  const { accounts, webhooks, ...read } = readAll(env, (settings) => {
    settings.refuseUnknown('worker');
    const temporal = readTemporal(settings);
    return {
      ...temporal,
      accounts: readAccountSources(settings, needsAccount),
      ...readOwn(settings),
      hints: readHints(settings),
      ledger: readLedger(settings, temporal),
      webhooks: readWorkerWebhooks(settings),
      deployment: readDeployment(settings),
    };
  });
  return defined({
    ...read,
    accounts: loadAccounts(accounts),
    webhooks: loadWebhooks(webhooks),
    exposedFiles: exposedSecretFiles(env),
  });
}

/** The additional time for connecting, and for the rest of an answer that has begun. */
const REST_OF_ANSWER_MS = 5_000;

/** Reads the settings of the worker's calls to the payment service, health, metrics, log and traces. */
function readOwn(settings: SettingsReader) {
  const headersTimeoutMs = settings.read('PAYSESSION_ANSWER_TIMEOUT');
  const allowHttp = settings.read('PAYSESSION_ALLOW_HTTP') ?? false;
  const workers = settings.read('PAYSESSION_WORKERS');
  const healthPort = settings.read('PAYSESSION_HEALTH_PORT');
  const healthHost = settings.read('PAYSESSION_HEALTH_HOST');
  const port = settings.read('PAYSESSION_METRICS_PORT');
  const host = settings.read('PAYSESSION_METRICS_HOST');
  const level = settings.read('PAYSESSION_LOG_LEVEL');
  const format = settings.read('PAYSESSION_LOG_FORMAT');
  // The worker makes traces if OpenTelemetry's own variables name a collector.
  const collectors = [
    settings.read('OTEL_EXPORTER_OTLP_ENDPOINT'),
    settings.read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
  ];
  const polls = settings.read('PAYSESSION_TRACED_POLLS');
  return {
    service: { headersTimeoutMs, exchangeTimeoutMs: headersTimeoutMs + REST_OF_ANSWER_MS },
    allowHttp,
    workers,
    healthPort,
    healthHost,
    metrics: port === undefined ? undefined : { port, host },
    log: defined({ level, format }),
    traces: collectors.some((url) => url !== undefined) ? { polls } : undefined,
  };
}

/**
 * Reads the endpoint for hints. Refuses a port without a secret, and a secret without a port: otherwise, the worker would silently have
 * no endpoint.
 */
function readHints(settings: SettingsReader): WorkerSettings['hints'] | undefined {
  const port = settings.read('PAYSESSION_HINT_PORT');
  const host = settings.read('PAYSESSION_HINT_HOST');
  const secret = readSecret(settings, 'PAYSESSION_HINT_SECRET');
  settings.requireTogether(
    ['PAYSESSION_HINT_PORT', 'PAYSESSION_HINT_SECRET'],
    'is missing: hints need a port and a secret',
  );
  return port === undefined || secret === undefined ? undefined : { port, host, secret };
}

/** Returns the secret of the endpoint for hints, if it is set. Throws `SettingsError`. */
export function readHintSecret(env: Environment): string | undefined {
  return readAll(env, (settings) => readSecret(settings, 'PAYSESSION_HINT_SECRET'));
}

/** Reads the sources of the webhook endpoints. Refuses endpoints without a ledger, because webhooks are sent from the ledger. */
function readWorkerWebhooks(settings: SettingsReader): WebhookSources {
  const sources = readWebhookSources(settings);
  const set = sources.single ? 'PAYSESSION_WEBHOOK_URL' : sources.file && 'PAYSESSION_WEBHOOK_FILE';
  if (set !== undefined && !settings.isSet('PAYSESSION_LEDGER_URL'))
    settings.fail(set, 'needs a ledger: set PAYSESSION_LEDGER_URL');
  return sources;
}

/**
 * Reads the worker's version. Refuses one of the two variables alone: otherwise, a worker that should be versioned would run without a
 * version.
 */
function readDeployment(settings: SettingsReader): WorkerSettings['deployment'] | undefined {
  const name = settings.read('TEMPORAL_DEPLOYMENT_NAME');
  const buildId = settings.read('TEMPORAL_WORKER_BUILD_ID');
  settings.requireTogether(
    ['TEMPORAL_DEPLOYMENT_NAME', 'TEMPORAL_WORKER_BUILD_ID'],
    'is missing: a worker’s version needs a deployment name and a build id',
  );
  return name === undefined || buildId === undefined ? undefined : { name, buildId };
}
