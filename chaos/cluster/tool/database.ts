import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseStop } from './cluster';
import { freePorts } from './ports';
import { DATABASE_USER, Postgres } from './postgres';
import { PostgresPrograms } from './postgres-programs';
import { startRelay, type Relay } from './relay';
import { startStandby } from './standby';

/** A program's login at PostgreSQL. */
export interface DatabaseLogin {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** PostgreSQL on this machine's loopback address, with its data in a folder. */
export interface Database {
  readonly login: DatabaseLogin;
  readonly pid: number;
  /** Stops PostgreSQL, and starts it again on the same data and port. */
  restart(stop: DatabaseStop): Promise<void>;
  /** Ends PostgreSQL as a crash does, promotes its standby, and makes another standby. Throws an `Error` without a standby. */
  failOver(): Promise<void>;
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  /** The folder for the data, which does not exist yet. The user that PostgreSQL runs as must be able to reach it. */
  readonly folder: string;
  /** True if the database has a standby. Clients then connect through a relay, which connects them to the current database. */
  readonly standby: boolean;
}

/**
 * Makes an empty database and starts it. Throws an `Error` that names a missing program, or that contains the end of
 * PostgreSQL's output.
 */
export async function startDatabase({ folder, standby }: DatabaseOptions): Promise<Database> {
  const programs = await PostgresPrograms.find(randomBytes(16).toString('hex'));
  await programs.makeFolder(folder);
  const [first = 0, second = 0] = await freePorts(2);
  let copies = 0;
  const newData = () => {
    copies += 1;
    return join(folder, `data-${copies}`);
  };
  const parts: { primary: Postgres; standby?: Postgres; relay?: Relay } = {
    primary: new Postgres({ programs, data: newData(), port: first }),
  };
  const stop = async () => {
    await parts.relay?.close();
    await Promise.all([parts.primary.end('immediate'), parts.standby?.end('immediate')]);
  };
  try {
    await initialise(programs, folder, parts.primary.options.data);
    await parts.primary.start();
    if (standby) {
      parts.standby = await startStandby(parts.primary, { data: newData(), port: second });
      parts.relay = await startRelay(() => [parts.primary.options.port]);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    login: { port: parts.relay?.port ?? first, user: DATABASE_USER, password: programs.password },
    get pid() {
      return parts.primary.pid;
    },
    restart: async (way) => {
      await parts.primary.end(way);
      await parts.primary.start();
    },
    failOver: async () => {
      const { primary: lost, standby: next } = parts;
      if (next === undefined) throw new Error('There is no standby to fail over to.');
      await lost.end('immediate');
      await next.promote();
      parts.primary = next;
      delete parts.standby;
      await rm(lost.options.data, { recursive: true, force: true });
      parts.standby = await startStandby(next, { data: newData(), port: lost.options.port });
    },
    stop,
  };
}

async function initialise(programs: PostgresPrograms, folder: string, data: string): Promise<void> {
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, programs.password, { mode: 0o600 });
  await programs.own(passwordFile);
  await programs.run('initdb', [
    ...['--pgdata', data, '--username', DATABASE_USER, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    ...['--encoding', 'UTF8', '--locale', 'C', '--no-sync'],
  ]);
}
