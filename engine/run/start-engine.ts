import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PaysessionError } from '../../src/errors';
import { OWNER_ONLY_FOLDER, ownerOnly } from '../../src/files/owner-only';
import { awaitServing } from './await-serving';
import { spawnEngine, type EngineProcess } from './engine-process';
import { reasonOf } from '../error-details';
import { ENGINE_HOST, freePort } from './ports';

export interface StartEngineOptions {
  /** Path of the Temporal CLI, from `resolveEngine`. */
  readonly executable: string;
  /** Port of the server; 0 takes a free one. @default 0 */
  readonly port?: number;
  /** Port of the web UI; 0 takes a free one. @default no web UI */
  readonly uiPort?: number;
  /** File that keeps the engine's state between runs; its folder is created, and both are for this user only. @default the state ends with the engine */
  readonly databaseFile?: string;
  /** Namespace to create. @default 'default' */
  readonly namespace?: string;
  /** Search attributes to register, each a Keyword. @default none */
  readonly searchAttributes?: readonly string[];
  /** Dynamic configuration, each value as JSON text. @default DEVELOPMENT_DYNAMIC_CONFIG */
  readonly dynamicConfig?: Readonly<Record<string, string>>;
  /** File that takes the engine's output. @default none */
  readonly logFile?: string;
  /** The longest wait until it serves, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number;
}

/** A Temporal server that this process started, and that never outlives it. */
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

/** Timers fire within milliseconds instead of whole seconds, so that quick sessions are quick. */
export const DEVELOPMENT_DYNAMIC_CONFIG: Readonly<Record<string, string>> = {
  'history.timerProcessorMaxTimeShift': '"10ms"',
};

/** Another program may take a free port before the server does. */
const MAX_STARTS = 3;

/**
 * Starts a Temporal server for development on this machine's loopback address and waits until it serves. Throws
 * `PaysessionError`: `PORT_IN_USE`, or `ENGINE_UNAVAILABLE` with the end of what the server said.
 */
export async function startEngine(options: StartEngineOptions): Promise<RunningEngine> {
  if (options.databaseFile !== undefined) await prepareDatabase(options.databaseFile);
  for (let start = 1; ; start += 1) {
    const port = await freePort(options.port ?? 0);
    const uiPort = options.uiPort === undefined ? undefined : await freePort(options.uiPort);
    try {
      return await startOnce(options, port, uiPort);
    } catch (error) {
      const lostPort = error instanceof Error && /address already in use/i.test(error.message);
      if (!lostPort || start === MAX_STARTS) throw error;
    }
  }
}

/** What SQLite adds to a database's name for its own files. */
const DATABASE_FILES = ['', '-wal', '-shm', '-journal'];

/** The engine stores what sessions tell it: neither its folder nor a database that is there already is for others. */
async function prepareDatabase(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER });
  await Promise.all(DATABASE_FILES.map((suffix) => ownerOnly(file + suffix)));
}

async function startOnce(
  options: StartEngineOptions,
  port: number,
  uiPort: number | undefined,
): Promise<RunningEngine> {
  const server = await spawn(options, toArguments(options, port, uiPort));
  const address = `${ENGINE_HOST}:${port}`;
  try {
    await serving(server, address, options);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    address,
    ...(uiPort !== undefined && { uiUrl: `http://${ENGINE_HOST}:${uiPort}` }),
    pid: server.pid,
    exited: server.exited,
    stop: () => server.stop(),
  };
}

async function spawn(options: StartEngineOptions, args: readonly string[]): Promise<EngineProcess> {
  const { executable, logFile, databaseFile } = options;
  // Without a database file a graceful end, which takes 1.5 s, would preserve nothing.
  const stopSignal = databaseFile === undefined ? 'SIGKILL' : 'SIGTERM';
  try {
    return await spawnEngine({ executable, args, stopSignal, ...(logFile !== undefined && { logFile }) });
  } catch (cause) {
    throw notStarted(reasonOf(cause), cause);
  }
}

async function serving(server: EngineProcess, address: string, options: StartEngineOptions): Promise<void> {
  const { namespace = 'default', searchAttributes = [], startTimeoutMs = 30_000 } = options;
  const ended = new AbortController();
  void server.exited.then(() => {
    ended.abort();
  });
  const timeout = AbortSignal.timeout(startTimeoutMs);
  const signal = AbortSignal.any([ended.signal, timeout]);
  try {
    await awaitServing({ address, namespace, searchAttributes, signal });
  } catch (cause) {
    const { text } = server.output;
    throw notStarted(timeout.aborted ? `It did not serve within ${startTimeoutMs} ms. ${text}` : text, cause);
  }
}

function toArguments(
  { databaseFile, namespace = 'default', searchAttributes = [], ...options }: StartEngineOptions,
  port: number,
  uiPort: number | undefined,
): string[] {
  const { dynamicConfig = DEVELOPMENT_DYNAMIC_CONFIG } = options;
  return [
    ...['server', 'start-dev', '--ip', ENGINE_HOST, '--port', String(port), '--log-level', 'error'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(databaseFile === undefined ? [] : ['--db-filename', databaseFile]),
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
    ...searchAttributes.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...Object.entries(dynamicConfig).flatMap(([key, json]) => ['--dynamic-config-value', `${key}=${json}`]),
  ];
}

function notStarted(reason: string, cause: unknown): PaysessionError {
  const message = `The Temporal server did not start. ${reason === '' ? 'It said nothing.' : reason}`;
  return new PaysessionError('ENGINE_UNAVAILABLE', message, { cause });
}
