import { Runtime } from '@temporalio/worker';
import type { LogFormat, WorkerSettings } from '../../src/settings';
import { formatLine } from '../logs/format-line';
import { workerLog, type WorkerLog, type WorkerLogOptions } from '../logs/worker-log';
import { metricsTelemetry, toMetricsError } from '../metrics/telemetry';

/** What `paysession worker` prints once it polls for work, in the format of its log. */
export function readyLine(settings: Pick<WorkerSettings, 'accounts' | 'log' | 'taskQueue'>): string {
  const { accounts, taskQueue } = settings;
  const message = `working for ${Object.keys(accounts).join(', ')} on task queue ${taskQueue}`;
  if (formatOf(settings) === 'text') return message;
  return formatLine({ time: new Date(), level: 'INFO', message, fields: {} }, 'json');
}

/** As set, or else text in a terminal and JSON elsewhere. */
function formatOf({ log }: Pick<WorkerSettings, 'log'>): LogFormat {
  return log.format ?? (process.stderr.isTTY ? 'text' : 'json');
}

/** What Temporal's native part logs at each level: it says more than the SDK does, and quotes payloads below INFO. */
const CORE_LEVELS = { debug: 'INFO', info: 'WARN', warn: 'WARN', error: 'ERROR' } as const;

/**
 * Installs Temporal's runtime for `paysession worker`, once in a process and before anything else of Temporal's. Signals are
 * the caller's. The native part logs through the same logger. Throws `PaysessionError` `PORT_IN_USE`, or `SettingsError`, where
 * the metrics cannot be had at their address.
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
