import type { TelemetryOptions } from '@temporalio/worker';
import { PaysessionError, SettingsError } from '../../src/errors';
import type { WorkerSettings } from '../../src/settings';
import { METRICS } from './metrics-table';

type MetricsAddress = NonNullable<WorkerSettings['metrics']>;

/** Shows the SDK's metrics and ours at one address, in Prometheus' format. */
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

/** Why the runtime could not be installed. The native part says it in words alone. */
export function toMetricsError(error: unknown, { port }: MetricsAddress): unknown {
  if (!(error instanceof Error) || !error.message.includes('prometheus')) return error;
  if (/in use|os error 10048/i.test(error.message)) {
    const message = `Port ${port} is in use by another program. Set PAYSESSION_METRICS_PORT to another port, or stop that program.`;
    return new PaysessionError('PORT_IN_USE', message, { cause: error });
  }
  const message =
    'is not an address of this machine that the worker may listen on; set it to 127.0.0.1, or to 0.0.0.0 for a Prometheus elsewhere';
  return new SettingsError([{ path: 'PAYSESSION_METRICS_HOST', message }]);
}
