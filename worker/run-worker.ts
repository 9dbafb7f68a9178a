import { NativeConnection, Runtime } from '@temporalio/worker';
import { explain, PaysessionError } from '../src/errors';
import { isReadableOnTheWay } from '../src/service';
import type { WorkerSettings } from '../src/settings';
import { createWorker, type PaymentWorker } from './create-worker';
import { serveHealth, type HealthServer } from './health';
import { startTracing, type RunningTracing } from './traces/from-environment';

/** Options of `runWorker`. */
export interface RunWorkerOptions {
  /** The settings of `paysession worker`, as read from the environment. */
  readonly settings: WorkerSettings;
  /** Ends the run when it aborts: running activities finish first. */
  readonly signal: AbortSignal;
  /** Called once the worker polls for work. */
  readonly onReady?: () => void;
}

/**
 * Runs a worker with these settings until the signal aborts, with a health endpoint if a port is set. Throws
 * `PaysessionError`: `ENGINE_UNAVAILABLE`, `SEARCH_ATTRIBUTES_MISSING`, `PORT_IN_USE`.
 */
export async function runWorker({ settings, signal, onReady }: RunWorkerOptions): Promise<void> {
  const connection = await connect(settings);
  let health: HealthServer | undefined;
  let traces: RunningTracing | undefined;
  try {
    const { namespace, taskQueue, accounts, service, encryption, deployment } = settings;
    warnOfHttp(settings);
    traces = settings.traces && (await startTracing(settings.traces.polls));
    const worker = await createWorker({
      connection,
      namespace,
      taskQueue,
      accounts,
      service,
      ...(encryption !== undefined && { encryption }),
      ...(deployment !== undefined && { deployment }),
      ...(traces !== undefined && { tracing: traces.tracing }),
    });
    if (settings.healthPort !== undefined) {
      health = await serveHealth(settings.healthPort, () => worker.isRunning());
    }
    await runUntil(worker, signal, onReady);
  } finally {
    await health?.close();
    await traces?.stop();
    await connection.close();
  }
}

/** Once, as the worker starts. It is only a warning, because the network may be the operator's own. */
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
    throw new PaysessionError('ENGINE_UNAVAILABLE', explain('ENGINE_UNAVAILABLE'), { cause });
  }
}
