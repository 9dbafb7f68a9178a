import { PaysessionError } from '../../src/errors';
import { awaitAnswer } from './await-serving';
import { spawnEngine, type EngineProcess } from './engine-process';
import { reasonOf } from '../error-details';
import { ENGINE_HOST, freePort } from './ports';
import type { RunningEngine } from './start-engine';

export interface StartTestServerOptions {
  /** Path of the test server, from `resolveTestServer`. */
  readonly executable: string;
  /** The longest wait until it serves, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number;
}

/** Another program may take a free port before the server does. */
const MAX_STARTS = 3;

/**
 * Starts Temporal's test server on this machine's loopback address and waits until it answers; its time skips from the
 * start. It never outlives this process. Throws `PaysessionError` `ENGINE_UNAVAILABLE` with the end of what it said.
 */
export async function startTestServer(options: StartTestServerOptions): Promise<RunningEngine> {
  for (let start = 1; ; start += 1) {
    try {
      return await startOnce(options, await freePort(0));
    } catch (error) {
      const lostPort = error instanceof Error && /address already in use/i.test(error.message);
      if (!lostPort || start === MAX_STARTS) throw error;
    }
  }
}

async function startOnce(options: StartTestServerOptions, port: number): Promise<RunningEngine> {
  const server = await spawn(options.executable, port);
  const address = `${ENGINE_HOST}:${port}`;
  const ended = new AbortController();
  void server.exited.then(() => {
    ended.abort();
  });
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(options.startTimeoutMs ?? 30_000)]);
  try {
    await awaitAnswer(address, signal);
  } catch (cause) {
    await server.stop();
    throw notStarted(server.output.text, cause);
  }
  return { address, pid: server.pid, exited: server.exited, stop: () => server.stop() };
}

async function spawn(executable: string, port: number): Promise<EngineProcess> {
  try {
    // It keeps nothing that a graceful end would preserve.
    const args = [String(port), '--enable-time-skipping'];
    return await spawnEngine({ executable, args, stopSignal: 'SIGKILL' });
  } catch (cause) {
    throw notStarted(reasonOf(cause), cause);
  }
}

function notStarted(reason: string, cause: unknown): PaysessionError {
  const message = `Temporal’s test server did not start. ${reason === '' ? 'It said nothing.' : reason}`;
  return new PaysessionError('ENGINE_UNAVAILABLE', message, { cause });
}
