import { randomBytes } from 'node:crypto';
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresPrograms, type PostgresSource, postgresUser, unlessMissing } from './postgres-programs';
import { explain, PaysessionError } from '../errors';
import type { OnProgress } from './progress';
import { runCommand, reasonOf } from './run-command';
import {
  startServer,
  type RunningTemporalServer,
  TEMPORAL_HOST,
  freePort,
  type ProcessUser,
} from './start-server';
import { makeFolder, OWNER_ONLY_FOLDER } from '../files';

export interface StartPostgresOptions extends PostgresSource {
  /**
   * The folder of the data. It is created if it is missing. If this process runs as root, an unprivileged user becomes the folder's
   * owner.
   */
  readonly folder: string;
  /** The port on which PostgreSQL listens. @default a free port */
  readonly port?: number;
  /** Called with a line if the start has to wait until the server of an earlier process stops. @default none */
  readonly onProgress?: OnProgress;
}

/** A PostgreSQL server that this process started, and that stops when this process ends. */
export interface RunningPostgres extends Pick<RunningTemporalServer, 'pid' | 'exited' | 'stop'> {
  /** The URL of the database, with the password. */
  readonly url: string;
}

const DATABASE = 'postgres';
const USER = 'paysession';

/**
 * Starts PostgreSQL for development and tests. Uses the programs that npm has installed, and listens on this machine's loopback
 * address. Throws `PaysessionError` `LEDGER_UNAVAILABLE` with the end of PostgreSQL's output. Throws the errors of `freePort` and
 * `postgresPrograms`.
 */
export async function startPostgres(given: StartPostgresOptions): Promise<RunningPostgres> {
  // The path must be absolute, because `initdb` runs in another working folder: its user may not be able to read the
  // current one.
  const options = { ...given, folder: resolve(given.folder) };
  const programs = await postgresPrograms(options);
  const user = postgresUser();
  const data = join(options.folder, 'data');
  const password = await makeData({ ...options, programs, data, user });
  const { address, pid, exited, stop } = await onceReleased(options, () =>
    startServer({
      title: 'PostgreSQL',
      failsWith: 'LEDGER_UNAVAILABLE',
      executable: join(programs, 'bin', 'postgres'),
      // The signal ends all connections. Committed data is kept.
      stopSignal: 'SIGINT',
      user,
      command: async () => {
        const port = await freePort(options.port ?? 0);
        return { port, args: ['-D', data, '-p', String(port), ...SERVER_SETTINGS] };
      },
      serving: (_address, signal, pid) => untilReady(data, pid, signal),
    }),
  );
  const url = `postgresql://${USER}:${password}@${address}/${DATABASE}`;
  return { url, pid, exited, stop };
}

/**
 * The longest wait until an earlier server has released the data. If the process that started a server is killed, the server needs
 * less time to stop.
 */
const RELEASED_WITHIN_MS = 10_000;
const TRY_EVERY_MS = 200;

/**
 * Starts a server. While the server of an earlier process still uses the data, tries again. If that process was killed, its server
 * stops by itself.
 */
async function onceReleased(
  { folder, onProgress }: StartPostgresOptions,
  start: () => Promise<RunningTemporalServer>,
): Promise<RunningTemporalServer> {
  const giveUpAtMs = performance.now() + RELEASED_WITHIN_MS;
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      const isTaken = error instanceof Error && error.message.includes('"postmaster.pid" already exists');
      if (!isTaken || performance.now() > giveUpAtMs) throw error;
      if (tries === 1) onProgress?.(`Waiting until the PostgreSQL server that uses ${folder} stops …`);
      await sleep(TRY_EVERY_MS);
    }
  }
}

/** Makes the server listen only on the loopback address, and not on a socket in a shared folder. */
const SERVER_SETTINGS = ['-c', `listen_addresses=${TEMPORAL_HOST}`, '-c', 'unix_socket_directories='];

interface DataToMake {
  readonly folder: string;
  readonly programs: string;
  readonly data: string;
  readonly user: ProcessUser | undefined;
}

/**
 * Creates the data (a PostgreSQL cluster) if there is none, and returns the database's password. A file in the same folder keeps
 * the password. Throws `PaysessionError` `LEDGER_UNAVAILABLE` if there is data, but no such file.
 */
async function makeData({ folder, programs, data, user }: DataToMake): Promise<string> {
  const passwordFile = join(folder, 'password');
  makeFolder(folder, OWNER_ONLY_FOLDER);
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const kept = await readText(passwordFile);
  if ((await readText(join(data, 'PG_VERSION'))) !== undefined) {
    if (kept !== undefined) return kept.trim();
    const happened = `${data} has the data of a ledger, but ${passwordFile} with its password is missing.`;
    throw new PaysessionError(
      'LEDGER_UNAVAILABLE',
      `${happened} Restore that file, or remove the data to start with an empty ledger.`,
    );
  }
  // `initdb` writes PG_VERSION before the data is complete. So it works in another folder, which is renamed at the end:
  // a killed start then leaves no incomplete `data`.
  const unfinished = `${data}.unfinished`;
  for (const remains of [unfinished, data]) await rm(remains, { recursive: true, force: true });
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user !== undefined) await chown(passwordFile, user.uid, user.gid);
  const where = ['--pgdata', unfinished, '--username', USER, '--pwfile', passwordFile];
  const how = ['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--locale', 'C'];
  await initdb(join(programs, 'bin', 'initdb'), [...where, ...how], user);
  await rename(unfinished, data);
  return password;
}

const INITDB_WITHIN_MS = 120_000;

async function initdb(file: string, args: readonly string[], user?: ProcessUser): Promise<void> {
  try {
    await runCommand({ file, args, env: process.env, cwd: '/', timeoutMs: INITDB_WITHIN_MS, user });
  } catch (cause) {
    const happened = `PostgreSQL could not make its data folder. ${reasonOf(cause)}`;
    throw new PaysessionError('LEDGER_UNAVAILABLE', `${happened} ${explain('LEDGER_UNAVAILABLE')}`, {
      cause,
    });
  }
}

const readText = (path: string): Promise<string | undefined> => unlessMissing(readFile(path, 'utf8'));

const CHECK_EVERY_MS = 20;
/** The index of the line with the server's state in `postmaster.pid`. */
const STATUS_LINE = 7;

/**
 * Resolves once the server with this process id is ready. The id is compared, because an earlier server that was killed leaves its
 * `postmaster.pid`.
 */
async function untilReady(data: string, pid: number, signal: AbortSignal): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  for (;;) {
    signal.throwIfAborted();
    const lines = (await readText(pidFile))?.split('\n') ?? [];
    if (Number(lines[0]) === pid && lines[STATUS_LINE]?.trim() === 'ready') return;
    await sleep(CHECK_EVERY_MS);
  }
}
