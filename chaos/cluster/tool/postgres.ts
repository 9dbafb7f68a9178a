import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseStop } from './cluster';
import type { PostgresPrograms } from './postgres-programs';
import {
  TEMPORAL_HOST,
  spawnTemporalServer,
  type TemporalServerProcess,
} from '../../../src/temporal-server/start-server';

export interface PostgresOptions {
  readonly programs: PostgresPrograms;
  /** The folder of the server's data. It must exist. */
  readonly data: string;
  readonly port: number;
}

/** The user at PostgreSQL that owns all databases. */
export const DATABASE_USER = 'temporal';

const START_TIMEOUT_MS = 60_000;
const READY_TIMEOUT_MS = 5_000;
const POLL_MS = 50;

/** The signal for each way to stop, from PostgreSQL's documentation. */
const SIGNALS: Readonly<Record<DatabaseStop, NodeJS.Signals>> = { fast: 'SIGINT', immediate: 'SIGQUIT' };

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: TEMPORAL_HOST,
  // PostgreSQL listens only on TCP, because a Unix socket would need a folder with a short path.
  unix_socket_directories: '',
  max_connections: '250',
  // With `fsync` off, committed data survives a crash of PostgreSQL, but not a crash of the machine.
  fsync: 'off',
  // The time that the standby waits before it reconnects to a restarted database. It is short, because no commit succeeds without the
  // standby.
  wal_retrieve_retry_interval: '100ms',
};

/** A PostgreSQL server on the loopback address: the current database, or its standby. */
export class Postgres {
  #process: TemporalServerProcess | undefined;

  constructor(readonly options: PostgresOptions) {}

  get pid(): number {
    if (this.#process === undefined) throw new Error('PostgreSQL is down');
    return this.#process.pid;
  }

  /**
   * Starts the server, and resolves when it accepts connections. Throws an `Error` with the end of the server's output if
   * it ends, or is not ready in time.
   */
  async start(): Promise<void> {
    const { programs, data, port } = this.options;
    const settings = Object.entries({ ...SETTINGS, port: String(port) });
    const args = ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const started = await spawnTemporalServer({ ...programs.call('postgres', args), stopSignal: 'SIGTERM' });
    this.#process = started;
    await this.#ready(started);
  }

  /** Ends the server, and resolves when it has ended. Does nothing if the server is down. */
  async end(stop: DatabaseStop): Promise<void> {
    const running = this.#process;
    if (running === undefined) return;
    this.#process = undefined;
    process.kill(running.pid, SIGNALS[stop]);
    await running.exited;
  }

  /** Turns this standby into the current database, which accepts writes. */
  async promote(): Promise<void> {
    const { programs, data } = this.options;
    await programs.run('pg_ctl', ['promote', '--wait', '--pgdata', data]);
  }

  /** Runs SQL statements. Returns the last line of their output: the last row, without headings. */
  async query(...statements: readonly string[]): Promise<string> {
    const { programs, port } = this.options;
    const place = ['--host', TEMPORAL_HOST, '--port', String(port), '--username', DATABASE_USER];
    const output = await programs.run('psql', [
      ...place,
      ...['--no-psqlrc', '--no-password', '--quiet', '--tuples-only', '--no-align', '--dbname', 'postgres'],
      ...statements.flatMap((statement) => ['--command', statement]),
    ]);
    return output.trim().split('\n').at(-1) ?? '';
  }

  async #ready(started: TemporalServerProcess): Promise<void> {
    const state = { hasEnded: false };
    void started.exited.then(() => {
      state.hasEnded = true;
    });
    const givesUpAtMs = Date.now() + START_TIMEOUT_MS;
    while (!(await this.#accepts())) {
      if (state.hasEnded || Date.now() > givesUpAtMs) {
        this.#process = undefined;
        await started.stop();
        throw new Error(`PostgreSQL did not start. ${started.output.text}`);
      }
      await sleep(POLL_MS);
    }
  }

  #accepts(): Promise<boolean> {
    const { programs, port } = this.options;
    return programs
      .run('pg_isready', ['--host', TEMPORAL_HOST, '--port', String(port)], READY_TIMEOUT_MS)
      .then(
        () => true,
        () => false,
      );
  }
}
