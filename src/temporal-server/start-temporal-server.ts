import { dirname } from 'node:path';
import { awaitServing } from './await-serving';
import {
  startServer,
  type RunningTemporalServer,
  type ServerCommand,
  TEMPORAL_HOST,
  freePort,
} from './start-server';
import { makeFolder, OWNER_ONLY_FOLDER, ownerOnly } from '../files';
import { attributeType } from '../settings/register-search-attributes';

export interface StartTemporalServerOptions {
  /** Path of the Temporal CLI, from `resolveTemporalServer`. */
  readonly executable: string;
  /** Port of the server; 0 takes a free one. @default 0 */
  readonly port?: number;
  /** Port of the web UI; 0 takes a free one. @default no web UI */
  readonly uiPort?: number;
  /**
   * File that keeps the Temporal server's state between runs, for this user only. Its folder is created if it is missing. @default the
   * state ends with the server
   */
  readonly databaseFile?: string;
  /** Namespace to create. @default 'default' */
  readonly namespace?: string;
  /** Names of search attributes to register, each with the type that sessions write. @default none */
  readonly searchAttributes?: readonly string[];
  /** Dynamic configuration, each value as JSON text. @default DEVELOPMENT_DYNAMIC_CONFIG */
  readonly dynamicConfig?: Readonly<Record<string, string>>;
  /** File that takes the server's output. @default none */
  readonly logFile?: string;
  /** The longest wait until the server serves, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number;
}

/** The dynamic configuration of a server for development. */
export const DEVELOPMENT_DYNAMIC_CONFIG: Readonly<Record<string, string>> = {
  // Timers fire within milliseconds instead of whole seconds, so that quick sessions are quick.
  'history.timerProcessorMaxTimeShift': '"10ms"',
  // A worker gets an activity with the answer to the workflow task that scheduled it, and need not poll for it.
  'system.enableActivityEagerExecution': 'true',
  // A queue has four partitions by default. One of them may have no poller if there is a single worker, and its tasks wait for seconds.
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  // The server caches its list of search attributes, as in production. Otherwise it would read the list again for every call.
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
};

/**
 * Starts a Temporal server for development on this machine's loopback address and waits until it serves. Throws `PaysessionError`:
 * the errors of `freePort`, `TEMPORAL_UNAVAILABLE` with the last lines of the server's output, or `SEARCH_ATTRIBUTES_MISTYPED` if the
 * database file has a search attribute with another type.
 */
export async function startTemporalServer(
  options: StartTemporalServerOptions,
): Promise<RunningTemporalServer> {
  if (options.databaseFile !== undefined) await prepareDatabase(options.databaseFile);
  const { namespace = 'default', searchAttributes = [], executable, logFile, startTimeoutMs } = options;
  return startServer({
    title: 'The Temporal server',
    executable,
    // Without a database file a graceful end, which takes 1.5 s, would preserve nothing.
    stopSignal: options.databaseFile === undefined ? 'SIGKILL' : 'SIGTERM',
    logFile,
    startTimeoutMs,
    command: () => commandOf(options),
    serving: (address, signal) => awaitServing({ address, namespace, searchAttributes, signal }),
  });
}

async function commandOf(options: StartTemporalServerOptions): Promise<ServerCommand> {
  const port = await freePort(options.port ?? 0);
  const uiPort = options.uiPort === undefined ? undefined : await freePort(options.uiPort);
  const uiUrl = uiPort === undefined ? undefined : `http://${TEMPORAL_HOST}:${uiPort}`;
  return { port, uiUrl, args: toArguments(options, port, uiPort) };
}

/** With a write-ahead log, the Temporal server opens twice as many sessions a second. Written data still survives the server's end. */
const WRITE_AHEAD = ['journal_mode=wal', 'synchronous=1'].flatMap((pragma) => ['--sqlite-pragma', pragma]);

/** Suffixes that SQLite adds to a database's name for its own files. */
const DATABASE_FILES = ['', '-wal', '-shm', '-journal'];

/**
 * Creates the folder if it is missing, and removes other users' rights to an existing database, in which the Temporal server stores the
 * sessions' data.
 */
async function prepareDatabase(file: string): Promise<void> {
  makeFolder(dirname(file), OWNER_ONLY_FOLDER);
  await Promise.all(DATABASE_FILES.map((suffix) => ownerOnly(file + suffix)));
}

function toArguments(
  { databaseFile, namespace = 'default', searchAttributes = [], ...options }: StartTemporalServerOptions,
  port: number,
  uiPort: number | undefined,
): string[] {
  const { dynamicConfig = DEVELOPMENT_DYNAMIC_CONFIG } = options;
  return [
    ...['server', 'start-dev', '--ip', TEMPORAL_HOST, '--port', String(port), '--log-level', 'error'],
    ...(uiPort === undefined ? ['--headless'] : ['--ui-port', String(uiPort)]),
    ...(databaseFile === undefined ? [] : ['--db-filename', databaseFile, ...WRITE_AHEAD]),
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
    ...searchAttributes.flatMap((name) => ['--search-attribute', `${name}=${attributeType(name)}`]),
    ...Object.entries(dynamicConfig).flatMap(([key, json]) => ['--dynamic-config-value', `${key}=${json}`]),
  ];
}
