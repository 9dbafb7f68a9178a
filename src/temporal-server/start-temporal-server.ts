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
  /** The path of the Temporal CLI, as `resolveTemporalServer` returns it. */
  readonly executable: string;
  /** The port of the server. 0 means a free port. @default 0 */
  readonly port?: number;
  /** The port of the web UI. 0 means a free port. @default no web UI */
  readonly uiPort?: number;
  /**
   * The file that keeps the Temporal server's state between runs. Only this user can read it. Its folder is created if it is missing.
   * @default the state is lost when the server ends
   */
  readonly databaseFile?: string;
  /** The namespace to create. @default 'default' */
  readonly namespace?: string;
  /** The names of the search attributes to register. Each gets the type that sessions write. @default none */
  readonly searchAttributes?: readonly string[];
  /** The server's dynamic configuration. Each value is JSON text. @default DEVELOPMENT_DYNAMIC_CONFIG */
  readonly dynamicConfig?: Readonly<Record<string, string>>;
  /** The file into which the server's output is written. @default none */
  readonly logFile?: string;
  /** The longest wait until the server answers, in milliseconds. @default 30000 */
  readonly startTimeoutMs?: number;
}

/** The dynamic configuration of a server for development. */
export const DEVELOPMENT_DYNAMIC_CONFIG: Readonly<Record<string, string>> = {
  // Timers fire with a delay of milliseconds instead of up to a second, so that short sessions are fast.
  'history.timerProcessorMaxTimeShift': '"10ms"',
  // A worker receives an activity together with the answer to the workflow task that has scheduled it. It need not poll
  // for the activity.
  'system.enableActivityEagerExecution': 'true',
  // By default, a task queue has four partitions. With a single worker, a partition may have no poller, and its tasks
  // wait for seconds.
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  // The server caches its list of search attributes, as in production. Otherwise, it would read the list again for
  // every call.
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
};

/**
 * Starts a Temporal server for development on this machine's loopback address, and waits until it answers. Throws `PaysessionError`:
 * `TEMPORAL_UNAVAILABLE` with the last lines of the server's output, `SEARCH_ATTRIBUTES_MISTYPED` if the database file has a search
 * attribute with a wrong type, or an error of `freePort`.
 */
export async function startTemporalServer(
  options: StartTemporalServerOptions,
): Promise<RunningTemporalServer> {
  if (options.databaseFile !== undefined) await prepareDatabase(options.databaseFile);
  const { namespace = 'default', searchAttributes = [], executable, logFile, startTimeoutMs } = options;
  return startServer({
    title: 'The Temporal server',
    executable,
    // A graceful stop takes 1.5 s. Without a database file, there is nothing to save, so the server is killed.
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

/**
 * Options for SQLite's write-ahead log. With it, the server opens twice as many sessions per second. Written data still survives the
 * end of the server.
 */
const WRITE_AHEAD = ['journal_mode=wal', 'synchronous=1'].flatMap((pragma) => ['--sqlite-pragma', pragma]);

/** The suffixes of the files that SQLite makes for a database, including the database itself. */
const DATABASE_FILES = ['', '-wal', '-shm', '-journal'];

/**
 * Creates the folder of the database if it is missing. Removes other users' rights to an existing database, because it contains the
 * data of sessions.
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
