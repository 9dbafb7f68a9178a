// First, because everything below needs the packages that this module checks for.
import './packages';
import { Runtime, type TelemetryOptions } from '@temporalio/worker';
import type { LogFormat, WorkerSettings } from '../src/settings';
import { workerLog, type WorkerLog, type WorkerLogOptions } from './observing/worker-log';
import { SettingsError, toPortError } from '../src/errors';
import { METRICS } from './observing/metrics-table';
import { formatLine } from './observing/log-line';

/** Returns the line that `paysession worker` prints when it starts to poll for work. The line has the format of the worker's log. */
export function readyLine(settings: Pick<WorkerSettings, 'accounts' | 'log' | 'taskQueue'>): string {
  const { accounts, taskQueue } = settings;
  const message = `working for ${Object.keys(accounts).join(', ')} on task queue ${taskQueue}`;
  if (formatOf(settings) === 'text') return message;
  return formatLine({ time: new Date(), level: 'INFO', message, fields: {} }, 'json');
}

/** Returns the log's format. If the settings name none, it is text in a terminal, and JSON elsewhere. */
function formatOf({ log }: Pick<WorkerSettings, 'log'>): LogFormat {
  return log.format ?? (process.stderr.isTTY ? 'text' : 'json');
}

/**
 * The log level of the SDK's native part (written in Rust), for each level of the worker's log. The native part logs more than
 * the SDK's TypeScript part does, and quotes payloads at levels below INFO.
 */
const CORE_LEVELS = { debug: 'INFO', info: 'WARN', warn: 'WARN', error: 'ERROR' } as const;

/**
 * Installs Temporal's runtime with the log and the metrics of `paysession worker`. Call it once in a process, before any
 * other use of Temporal's SDK. The runtime handles no signals: the caller does.
 *
 * @throws {@link PaysessionError} `PORT_IN_USE` if another program uses the port of the metrics
 * @throws {@link PaysessionError} `INVALID_SETTINGS` if this machine does not have the address of the metrics, or this
 * user may not listen on their port
 *
 * @example
 * ```ts
 * const log = installRuntime({ log: { level: 'info', format: 'json' }, metrics: { host: '127.0.0.1', port: 9464 } });
 * await worker.run();
 * log.close();
 * ```
 */
export function installRuntime(
  { metrics, ...settings }: Pick<WorkerSettings, 'log' | 'metrics'>,
  { write }: Pick<WorkerLogOptions, 'write'> = {},
): WorkerLog {
  const { level } = settings.log;
  const log = workerLog({ level, format: formatOf(settings), ...(write && { write }) });
  try {
    Runtime.install({
      shutdownSignals: [],
      logger: log.logger,
      telemetryOptions: {
        ...(metrics && { metrics: metricsTelemetry(metrics) }),
        logging: {
          filter: { core: CORE_LEVELS[level], other: 'ERROR' },
          forward: {},
        },
      },
    });
  } catch (error) {
    log.close();
    throw metrics === undefined ? error : toMetricsError(error, metrics);
  }
  return log;
}

/** The address at which metrics are served. */
export type MetricsAddress = NonNullable<WorkerSettings['metrics']>;

/** Returns the options with which the runtime serves the metrics of the SDK and of paysession at one address, for Prometheus. */
export function metricsTelemetry({ host, port }: MetricsAddress): NonNullable<TelemetryOptions['metrics']> {
  return {
    prometheus: {
      bindAddress: `${host.includes(':') ? `[${host}]` : host}:${port}`,
      useSecondsForDurations: true,
      histogramBucketOverrides: Object.fromEntries(
        METRICS.flatMap(({ name, buckets }) => (buckets === undefined ? [] : [[name, [...buckets]]])),
      ),
    },
  };
}

/** Converts the error of a runtime that cannot serve metrics. The SDK's native part reports the reason only in the error's message. */
function toMetricsError(error: unknown, { port }: MetricsAddress): unknown {
  if (!(error instanceof Error) || !error.message.includes('prometheus')) return error;
  const inUse = /in use|os error 10048/i.test(error.message);
  if (inUse || /permission denied|os error 10013/i.test(error.message)) {
    const cause = Object.assign(error, { code: inUse ? 'EADDRINUSE' : 'EACCES' });
    return toPortError(cause, port, 'Set PAYSESSION_METRICS_PORT to another port,');
  }
  const message =
    'is not an address of this machine that the worker may listen on; set it to 127.0.0.1, or to 0.0.0.0 for a Prometheus elsewhere';
  return new SettingsError([{ path: 'PAYSESSION_METRICS_HOST', message }]);
}
