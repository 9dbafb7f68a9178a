import { randomBytes } from 'node:crypto';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawnEngine, type EngineProcess } from '../../../engine/run/engine-process';
import { ENGINE_HOST } from '../../../engine/run/ports';
import { runCommand } from '../../../engine/run-command';
import type { DatabaseStop } from './cluster';
import { findPostgres } from './find-postgres';
import { unprivilegedUser, type ProgramUser } from './unprivileged';

/** How a program signs in to PostgreSQL. */
export interface DatabaseLogin {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** PostgreSQL on this machine's loopback address, with its data in a folder. */
export interface Database {
  readonly login: DatabaseLogin;
  readonly pid: number;
  /** Stops it, and starts it again on the same data and port. */
  restart(stop: DatabaseStop): Promise<void>;
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  /** Takes the data, in a folder that does not exist yet; whoever PostgreSQL runs as has to reach it. */
  readonly folder: string;
  readonly port: number;
}

const USER = 'temporal';
const INIT_TIMEOUT_MS = 60_000;
const START_TIMEOUT_MS = 60_000;
const READY_TIMEOUT_MS = 5_000;
const POLL_MS = 50;

/** What PostgreSQL's own documentation calls these ways to stop. */
const SIGNALS: Readonly<Record<DatabaseStop, NodeJS.Signals>> = { fast: 'SIGINT', immediate: 'SIGQUIT' };

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: ENGINE_HOST,
  // Over TCP alone: a socket would need a folder with a short name.
  unix_socket_directories: '',
  max_connections: '250',
  // What was committed outlasts each of its processes all the same, but not the machine.
  fsync: 'off',
};

/** Makes an empty database and starts it. Throws an `Error` that says what is missing, or the end of what PostgreSQL said. */
export async function startDatabase({ folder, port }: DatabaseOptions): Promise<Database> {
  const programs = await findPostgres();
  const user = await unprivilegedUser();
  const login = { port, user: USER, password: randomBytes(16).toString('hex') };
  const data = join(folder, 'data');
  await mkdir(folder, { mode: 0o700 });
  await chown(folder, user.uid, user.gid);
  await initialise({ initdb: join(programs, 'initdb'), folder, data, user, password: login.password });

  const start = async (): Promise<EngineProcess> => {
    const settings = Object.entries({ ...SETTINGS, port: String(port) });
    const args = ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const postgres = user.as({ executable: join(programs, 'postgres'), args });
    const started = await spawnEngine({ ...postgres, stopSignal: 'SIGTERM' });
    await untilReady(join(programs, 'pg_isready'), port, started);
    return started;
  };
  let running = await start();
  const end = async (stop: DatabaseStop): Promise<void> => {
    process.kill(running.pid, SIGNALS[stop]);
    await running.exited;
  };
  return {
    login,
    get pid() {
      return running.pid;
    },
    restart: async (stop) => {
      await end(stop);
      running = await start();
    },
    stop: () => end('immediate'),
  };
}

interface Initialising {
  readonly initdb: string;
  readonly folder: string;
  readonly data: string;
  readonly user: ProgramUser;
  readonly password: string;
}

async function initialise({ initdb, folder, data, user, password }: Initialising): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  await chown(passwordFile, user.uid, user.gid);
  const { executable, args } = user.as({
    executable: initdb,
    args: [
      ...['--pgdata', data, '--username', USER, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
    ],
  });
  await runCommand({ file: executable, args, env: process.env, timeoutMs: INIT_TIMEOUT_MS });
}

async function untilReady(pgIsReady: string, port: number, started: EngineProcess): Promise<void> {
  const state = { hasEnded: false };
  void started.exited.then(() => {
    state.hasEnded = true;
  });
  const givesUpAtMs = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady(pgIsReady, port))) {
    if (state.hasEnded || Date.now() > givesUpAtMs) {
      await started.stop();
      throw new Error(`PostgreSQL did not start. ${started.output.text}`);
    }
    await sleep(POLL_MS);
  }
}

function isReady(pgIsReady: string, port: number): Promise<boolean> {
  const args = ['--host', ENGINE_HOST, '--port', String(port)];
  return runCommand({ file: pgIsReady, args, env: process.env, timeoutMs: READY_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
