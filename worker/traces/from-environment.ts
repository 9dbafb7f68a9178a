import { Runtime } from '@temporalio/worker';
import type { TracedPolls } from './exchange-spans';
import type { WorkerTracing } from './worker-tracing';
import { needPeerPackages } from '../../src/files';
import { soon } from '../../src/sessions';

/** The tracing of this process. */
export interface RunningTracing {
  readonly tracing: WorkerTracing;
  /** Sends the remaining spans. Waits at most five seconds. Never rejects. */
  stop(): Promise<void>;
}

/** The longest time that a stopping worker waits for the collector of its traces. */
const LONGEST_STOP_MS = 5_000;

/**
 * Starts OpenTelemetry's SDK. The SDK reads its settings from the `OTEL_` variables: the address of the collector, the protocol, and
 * which traces to sample. Throws `MissingPackagesError` if the SDK is not installed.
 */
export async function startTracing(polls: TracedPolls): Promise<RunningTracing> {
  needPeerPackages('Tracing', ['@opentelemetry/api', '@opentelemetry/sdk-node']);
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { workerTracing } = await import('./index.js');
  await logFailedExports();
  const sdk = new NodeSDK({
    ...(hasServiceName(process.env) ? {} : { serviceName: 'paysession-worker' }),
    // The SDK exports only spans, because the worker has its own metrics and log.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  return {
    tracing: workerTracing({ polls }),
    stop: async () => {
      const sent = sdk.shutdown().then(() => true);
      if ((await soon(sent, LONGEST_STOP_MS).catch(() => false)) !== true)
        Runtime.instance().logger.warn('the last traces could not be sent: see OTEL_EXPORTER_OTLP_ENDPOINT');
    },
  };
}

/** Makes the worker log failed exports of spans. If `OTEL_LOG_LEVEL` is set, OpenTelemetry logs them itself; by default it does not. */
async function logFailedExports(): Promise<void> {
  if ((process.env['OTEL_LOG_LEVEL'] ?? '') !== '') return;
  const { diag, DiagLogLevel } = await import('@opentelemetry/api');
  const ignore = () => undefined;
  // OpenTelemetry's own message is not logged, because it is long and may quote the collector's answer.
  const error = () => {
    Runtime.instance().logger.warn('traces could not be sent: see OTEL_EXPORTER_OTLP_ENDPOINT');
  };
  diag.setLogger({ error, warn: ignore, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.ERROR);
}

function hasServiceName({
  OTEL_SERVICE_NAME: name = '',
  OTEL_RESOURCE_ATTRIBUTES: attributes = '',
}: NodeJS.ProcessEnv): boolean {
  return name !== '' || /(^|,)\s*service\.name=/.test(attributes);
}
