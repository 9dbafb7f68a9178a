import { DefaultLogger, Runtime } from '@temporalio/worker';
import { IllegalStateError } from '@temporalio/common';

/** Lets Temporal's runtime tell of errors only, unless a test has installed its own runtime before. */
export function quietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
