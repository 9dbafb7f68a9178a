import { DefaultLogger, Runtime } from '@temporalio/worker';

/** The part of a worker that this module uses. Workers of the SDK and of paysession have it. */
interface RunningWorker {
  run(): Promise<void>;
}

/**
 * Makes this child process of the bench a worker, until the bench stops the process or ends. The SDK counts the
 * worker's calls to the Temporal server. So the bench learns the number of heartbeats, which no history shows.
 */
export function serveAsWorker(create: (temporalAddress: string) => Promise<RunningWorker>): void {
  // Ctrl-C in a terminal also reaches this process. It is ignored, because the bench decides when this process ends.
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.exit());
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: {
      logging: { filter: { core: 'ERROR', other: 'ERROR' } },
      metrics: { prometheus: { bindAddress: process.env['METRICS_ADDRESS'] ?? '' } },
    },
  });
  void create(process.env['TEMPORAL_ADDRESS'] ?? '').then(async (worker) => {
    process.send?.({ ready: true });
    await worker.run();
  });
}
