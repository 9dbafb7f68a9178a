import { awaitAnswer } from './await-serving';
import { freePort } from './ports';
import { startServer, type RunningEngine } from './start-server';

export interface StartTestServerOptions {
  /** Path of the test server, from `resolveTestServer`. */
  readonly executable: string;
  /** The longest wait until it serves, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number;
}

/**
 * Starts Temporal's test server on this machine's loopback address and waits until it answers; its time skips from the
 * start. It never outlives this process. Throws `PaysessionError` `ENGINE_UNAVAILABLE` with the end of what it said.
 */
export async function startTestServer({
  executable,
  startTimeoutMs,
}: StartTestServerOptions): Promise<RunningEngine> {
  return startServer({
    title: 'Temporal’s test server',
    executable,
    // It keeps nothing that a graceful end would preserve.
    stopSignal: 'SIGKILL',
    startTimeoutMs,
    command: async () => {
      const port = await freePort(0);
      return { port, args: [String(port), '--enable-time-skipping'] };
    },
    serving: awaitAnswer,
  });
}
