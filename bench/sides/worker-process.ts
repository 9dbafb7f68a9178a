import { DefaultLogger, Runtime } from '@temporalio/worker';

/** The method that the SDK's workers and paysession's workers have in common. */
interface RunningWorker {
  run(): Promise<void>;
}

/**
 * Runs a worker in this process, a child of the bench, until the bench stops it or ends. The SDK counts the worker's
 * calls to the Temporal server, including heartbeats, which no history shows.
 */
export function serveAsWorker(create: (temporalAddress: string) => Promise<RunningWorker>): void {
  // Ctrl-C in a terminal reaches this process, too, but the bench decides when it ends.
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
