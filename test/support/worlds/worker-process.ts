import { startPaysession, type Running } from '../cli/run-paysession';
import type { World } from './world';

/**
 * Starts a worker of a world in a separate process, so that a test can kill it.
 *
 * @param env further environment variables
 */
export function workerProcess(
  { temporalAddress, taskQueue, account }: World,
  env: NodeJS.ProcessEnv = {},
): Running {
  return startPaysession(['worker'], {
    TEMPORAL_ADDRESS: temporalAddress,
    PAYSESSION_TASK_QUEUE: taskQueue,
    PAYSESSION_BASE_URL: account.baseUrl,
    PAYSESSION_CLIENT_ID: account.clientId,
    PAYSESSION_CLIENT_SECRET: account.clientSecret,
    ...(account.callsPerSecond !== undefined && {
      PAYSESSION_CALLS_PER_SECOND: String(account.callsPerSecond),
    }),
    ...env,
  });
}
