import { defined } from '../src/contract/values/json';
// First, because the imports below need the packages that this module checks for.
import './packages';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { explain, PaysessionError } from '../src/errors';
import { isReadableOnTheWay } from '../src/service';
import { connectTemporal } from '../src/settings/connect';
import type { LedgerSettings, WorkerSettings } from '../src/settings';
import type { PaymentLedger } from '../ledger';
import { createWorker, type PaymentWorker } from './create-worker';
import { serveProbes } from './probes';
import { startTracing, type RunningTracing } from './traces/from-environment';
import { polling, type HealthCheck, type HealthWatch } from './health';
import { startWebhooks } from './webhooks/worker-webhooks';
import { exposedFileWarning } from '../src/settings/secret-files';
import { isTlsLeftOpen, TLS_LEFT_OPEN } from '../src/settings/postgres-url';

/** Options of `runWorker`. */
export interface RunWorkerOptions {
  /** The settings that `paysession worker` reads from its environment. */
  readonly settings: WorkerSettings;
  /** Stops the worker when the signal aborts. Activities that still run ten seconds later are cancelled. */
  readonly signal: AbortSignal;
  /** Called when the worker begins to poll for work. */
  readonly onReady?: () => void;
}

/**
 * Runs a worker with these settings until the signal aborts. If `healthPort` is set, also serves the health endpoint.
 *
 * @throws {@link PaysessionError} `TEMPORAL_UNAVAILABLE` if the worker cannot connect to the Temporal server
 * @throws {@link PaysessionError} `PORT_IN_USE` if another program uses the port of the health endpoint
 * @throws {@link PaysessionError} `INVALID_SETTINGS` if this machine does not have the address of the health endpoint, or this
 * user may not listen on its port
 * @throws `MissingPackagesError` if traces are turned on and OpenTelemetry's packages are not installed
 * @throws `MissingPackagesError` if a ledger is set and the package `pg` is not installed
 * @throws the errors of {@link createWorker}, and the error with which a running worker fails
 */
export async function runWorker({ settings, signal, onReady }: RunWorkerOptions): Promise<void> {
  let watch: HealthWatch | undefined;
  // The health endpoint answers before the worker is connected: a process that cannot reach the Temporal server is live, but not ready.
  const { healthPort: port, healthHost: host } = settings;
  const checks = (): readonly HealthCheck[] => watch?.checks() ?? [polling(false)];
  const health = port === undefined ? undefined : await serveProbes({ port, host, checks });
  let connection: NativeConnection | undefined;
  let traces: RunningTracing | undefined;
  let ledger: PaymentLedger | undefined;
  let webhooks: ReturnType<typeof startWebhooks> | undefined;
  try {
    connection = await connect(settings);
    const { namespace, taskQueue, accounts, service, encryption, deployment, workers, hints } = settings;
    warnOfHttp(settings);
    for (const setting of settings.exposedFiles)
      Runtime.instance().logger.warn(exposedFileWarning(setting), { setting });
    traces = settings.traces && (await startTracing(settings.traces.polls));
    ledger = settings.ledger && (await openLedger(settings.ledger));
    const worker = await createWorker({
      connection,
      namespace,
      taskQueue,
      accounts,
      service,
      encryptionOptions: { required: settings.encryptionRequired },
      ...defined({ encryption, deployment, workers, tracing: traces?.tracing, ledger, hints }),
    });
    if (health !== undefined || settings.metrics !== undefined) watch = worker.watchHealth();
    if (ledger !== undefined && settings.webhooks !== undefined)
      webhooks = startWebhooks(ledger, settings.webhooks, { namespace, taskQueue });
    await runUntil(worker, signal, onReady);
  } finally {
    await webhooks?.stop();
    watch?.stop();
    await health?.close();
    await traces?.stop();
    await ledger?.close();
    await connection?.close();
  }
}

/** Logs a warning about accounts with plain http. This is no error, because the network may be the operator's own. */
function warnOfHttp({ accounts, allowHttp }: WorkerSettings): void {
  const exposed = Object.entries(accounts).flatMap(([name, { baseUrl }]) =>
    isReadableOnTheWay(baseUrl) ? [name] : [],
  );
  if (allowHttp || exposed.length === 0) return;
  Runtime.instance().logger.warn(
    'the payment service is called over plain http, which exposes the client secret: use https, or set PAYSESSION_ALLOW_HTTP=true if the network is your own',
    { accounts: exposed },
  );
}

/** Opens the ledger. Loads the ledger's module here, because a worker without a ledger does not need it. */
async function openLedger(settings: LedgerSettings): Promise<PaymentLedger> {
  if (isTlsLeftOpen(settings)) Runtime.instance().logger.warn(TLS_LEFT_OPEN);
  const { PaymentLedger } = await import('../ledger/index.js');
  return new PaymentLedger(settings);
}

async function runUntil(worker: PaymentWorker, signal: AbortSignal, onReady?: () => void): Promise<void> {
  const running = worker.run();
  const stop = () => {
    worker.shutdown();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    else onReady?.();
    await running;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function connect(settings: WorkerSettings): Promise<NativeConnection> {
  try {
    return await NativeConnection.connect(settings.connection);
  } catch (cause) {
    // `connectTemporal` connects as a client does. If that fails too, it throws an error that says why.
    const { connection } = await connectTemporal(settings);
    await connection.close();
    throw new PaysessionError('TEMPORAL_UNAVAILABLE', explain('TEMPORAL_UNAVAILABLE'), { cause });
  }
}
