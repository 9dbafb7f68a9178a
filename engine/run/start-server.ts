import { isPaysessionError, PaysessionError, type ErrorCode } from '../../src/errors';
import { reasonOf } from '../error-details';
import { spawnEngine, type EngineProcess, type ProcessUser } from './engine-process';
import { ENGINE_HOST, freePort } from './ports';
import type { awaitAnswer as AwaitAnswer } from './await-serving';

/** A server that this process started, and that never outlives it. */
export interface RunningEngine {
  /** HOST:PORT. */
  readonly address: string;
  readonly uiUrl?: string;
  readonly pid: number;
  /** Resolves when the server has ended, whoever ended it. */
  readonly exited: Promise<void>;
  /** Stops the server and resolves when it has ended; more than one call is fine. */
  stop(): Promise<void>;
}

/** Where the server is to listen, and what it is told. */
export interface ServerCommand {
  readonly port: number;
  readonly uiUrl?: string | undefined;
  readonly args: readonly string[];
}

export interface ServerToStart {
  /** What messages call it. */
  readonly title: string;
  readonly executable: string;
  /** The code of the error where it does not start. @default ENGINE_UNAVAILABLE */
  readonly failsWith?: ErrorCode | undefined;
  /** `SIGKILL` for one that keeps nothing. */
  readonly stopSignal: 'SIGINT' | 'SIGTERM' | 'SIGKILL';
  /** Whose process it is. @default this process's user */
  readonly user?: ProcessUser | undefined;
  /** File that takes the server's output. @default none */
  readonly logFile?: string | undefined;
  /** The longest wait until it serves, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number | undefined;
  /** Its command, with ports that are free. */
  readonly command: () => Promise<ServerCommand>;
  /** Called once its process has been started. */
  readonly onSpawned?: (() => void) | undefined;
  /** Settles once it serves. */
  readonly serving: (address: string, signal: AbortSignal, pid: number) => Promise<unknown>;
}

/** Another program may take a free port before the server does. */
const MAX_STARTS = 3;

/** Starts a server and waits until it serves. Throws `PaysessionError` with the end of what it said. */
export async function startServer(server: ServerToStart): Promise<RunningEngine> {
  for (let start = 1; ; start += 1) {
    const command = await server.command();
    try {
      return await startOnce(server, command);
    } catch (error) {
      const lostPort = error instanceof Error && /address already in use/i.test(error.message);
      if (!lostPort || start === MAX_STARTS) throw error;
    }
  }
}

async function startOnce(
  server: ServerToStart,
  { port, uiUrl, args }: ServerCommand,
): Promise<RunningEngine> {
  const spawning = spawn(server, args);
  server.onSpawned?.();
  const started = await spawning;
  const address = `${ENGINE_HOST}:${port}`;
  try {
    await untilServing(server, started, address);
  } catch (error) {
    await started.stop();
    throw error;
  }
  return {
    address,
    ...(uiUrl !== undefined && { uiUrl }),
    pid: started.pid,
    exited: started.exited,
    stop: () => started.stop(),
  };
}

async function spawn(server: ServerToStart, args: readonly string[]): Promise<EngineProcess> {
  const { executable, stopSignal, user, logFile } = server;
  try {
    return await spawnEngine({
      executable,
      args,
      stopSignal,
      ...(user !== undefined && { user }),
      ...(logFile !== undefined && { logFile }),
    });
  } catch (cause) {
    throw notStarted(server, reasonOf(cause), cause);
  }
}

async function untilServing(server: ServerToStart, started: EngineProcess, address: string): Promise<void> {
  const { startTimeoutMs = 30_000, serving } = server;
  const ended = new AbortController();
  void started.exited.then(() => {
    ended.abort();
  });
  const timeout = AbortSignal.timeout(startTimeoutMs);
  try {
    await serving(address, AbortSignal.any([ended.signal, timeout]), started.pid);
  } catch (cause) {
    if (isPaysessionError(cause, 'SEARCH_ATTRIBUTES_MISTYPED')) throw cause;
    const { text } = started.output;
    const said = timeout.aborted ? `It was not ready within ${startTimeoutMs} ms. ${text}` : text;
    throw notStarted(server, said, cause);
  }
}

function notStarted(
  { title, failsWith = 'ENGINE_UNAVAILABLE' }: ServerToStart,
  reason: string,
  cause: unknown,
): PaysessionError {
  const message = `${title} did not start. ${reason === '' ? 'It printed nothing.' : reason}`;
  return new PaysessionError(failsWith, message, { cause });
}

export interface StartTestServerOptions {
  /** Path of the test server, from `resolveTestServer`. */
  readonly executable: string;
  /** The longest wait until it serves, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number;
  /** Called once its process has been started: what is loaded from then on, until it answers, takes no time of its own. */
  readonly onSpawned?: () => void;
}

/**
 * Starts Temporal's test server on this machine's loopback address and waits until it answers; its time skips from the
 * start. It never outlives this process. Throws `PaysessionError` `ENGINE_UNAVAILABLE` with the end of what it said.
 */
export async function startTestServer({
  executable,
  startTimeoutMs,
  onSpawned,
}: StartTestServerOptions): Promise<RunningEngine> {
  return startServer({
    title: 'Temporal’s test server',
    executable,
    stopSignal: 'SIGKILL',
    startTimeoutMs,
    onSpawned,
    command: async () => {
      const port = await freePort(0);
      return { port, args: [String(port), '--enable-time-skipping'] };
    },
    serving: (address, signal) => {
      // Temporal's client takes longer to load than all that comes before.
      const { awaitAnswer } = require('./await-serving') as { readonly awaitAnswer: typeof AwaitAnswer };
      return awaitAnswer(address, signal);
    },
  });
}
