import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool as PgPool, PoolClient } from 'pg';
import { SettingsError } from '../../src/errors';
import { postgresFault } from '../../src/settings/postgres-url';
import { isPassing, isReadOnlyServer, toLedgerError } from './failures';
import { fixSettings, STATEMENT_WITHIN_MS, type Keeping } from './settings';
import { needPeerPackages } from '../../src/files';

/** A value of a statement. */
export type Value = string | number | Buffer | null;

/** Runs statements on one connection. */
export interface Statements {
  /** Returns the rows. Throws `PaysessionError`, whose cause is the driver's. */
  query<T extends object>(sql: string, values?: readonly Value[]): Promise<T[]>;
}

const CONNECT_WITHIN_MS = 2_000;
/** A migration makes indexes of all that is there, and a verification walks through the whole log: somebody watches it. */
const LONGEST_TRANSACTION_MS = 24 * 60 * 60_000;
/** Longer than the time between two looks at the ledger: a payment then need not wait until a connection is made. */
const IDLE_FOR_MS = 60_000;
/** Each worker's share of the server's connections, of which there are 100 by default. */
const MOST_CONNECTIONS = 10;
/** Downloads and exports have connections of their own, so that slow readers leave those of all others free. */
const MOST_SNAPSHOTS = 3;
/** A snapshot keeps PostgreSQL from cleaning up: one that is not read on for this time ends. */
const SNAPSHOT_IDLE_MS = 5 * 60_000;
/** A page of a list may have to be sorted by what no index has. */
const SNAPSHOT_STATEMENT_MS = 60_000;

/** Reads step by step what the database holds at one moment. */
export interface Snapshot extends Statements {
  /** Releases its connection. */
  end(): Promise<void>;
}

/** A conflict of transactions that are running at the same time is over as soon as one of them has ended. */
const MOST_TRIES = 5;
const LONGEST_PAUSE_MS = 20;

/** The connections of one process to the ledger's PostgreSQL server. */
export class LedgerDatabase implements Statements {
  readonly #url: string;
  readonly #keeping = new WeakMap<PoolClient, Keeping>();
  #pool: PgPool | undefined;
  /** Opened by the first snapshot: workers have none. */
  #snapshots: PgPool | undefined;
  /** Break the snapshots that are open. */
  readonly #open = new Set<() => void>();

  /**
   * Connects when it is first asked something. Throws `MissingPackagesError` where `pg` is not installed, and `SettingsError` for a URL that
   * names no single database.
   */
  constructor(url: string) {
    needPeerPackages('The ledger', ['pg']);
    const message = postgresFault(url);
    if (message !== undefined) throw new SettingsError([{ path: 'the ledger’s URL', message }]);
    this.#url = url;
  }

  async query<T extends object>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    return this.#tryAgain((connection) => {
      const { inTransaction = '' } = this.#keeping.get(connection) ?? {};
      const statements = statementsOf(connection);
      return inTransaction === ''
        ? statements.query<T>(sql, values)
        : within(connection, [READ_WRITE, READ_ONLY_SERVER], inTransaction, () =>
            statements.query<T>(sql, values),
          );
    });
  }

  /**
   * Runs statements in one transaction, without the time limit of single ones. Runs the work again after a conflict with another transaction,
   * which has undone it. An error of the work itself is thrown as it is.
   */
  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#inTransaction([READ_WRITE, READ_ONLY_SERVER], work);
  }

  /** Reads all as it is at one moment. */
  async snapshot<T>(read: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#inTransaction(['begin isolation level repeatable read read only'], read);
  }

  /**
   * Opens a snapshot, which its reader ends. A few can be open at the same time. One that breaks, or that its reader leaves alone for
   * minutes, ends by itself: the reader's next statement throws `LEDGER_UNAVAILABLE`.
   */
  async openSnapshot(): Promise<Snapshot> {
    this.#snapshots ??= openPool(this.#url, MOST_SNAPSHOTS, this.#keeping);
    const connection = await this.#snapshots.connect().catch(throwLedgerError);
    const { inTransaction = '' } = this.#keeping.get(connection) ?? {};
    const statements = statementsOf(connection, SNAPSHOT_STATEMENT_MS + CONNECT_WITHIN_MS);
    let isOver = false;
    const release = (isBroken: boolean) => {
      if (isOver) return;
      isOver = true;
      this.#open.delete(breaks);
      // A broken connection may report more than one error.
      if (!isBroken) connection.off('error', breaks);
      connection.release(isBroken);
    };
    // Not with its reader's next statement, which may never come: others wait for the place.
    const breaks = (): void => {
      release(true);
    };
    connection.on('error', breaks);
    this.#open.add(breaks);
    try {
      await connection.query(
        `begin isolation level repeatable read read only; ${inTransaction}set local statement_timeout = ${SNAPSHOT_STATEMENT_MS}`,
      );
      await statements.query(`set local idle_in_transaction_session_timeout = ${SNAPSHOT_IDLE_MS}`);
    } catch (error) {
      release(true);
      throw toLedgerError(error);
    }
    return {
      query: async (sql, values) => {
        if (isOver) throw toLedgerError(new Error('The snapshot has ended.'));
        return statements.query(sql, values);
      },
      end: async () => {
        if (isOver) return;
        const isBroken = await statements.query('commit').then(
          () => false,
          () => true,
        );
        release(isBroken);
      },
    };
  }

  /** Ends all connections, once what is under way has ended; snapshots end at once, as their readers may never come back. */
  async close(): Promise<void> {
    for (const breaks of [...this.#open]) breaks();
    const pools = [this.#pool, this.#snapshots];
    this.#pool = undefined;
    this.#snapshots = undefined;
    await Promise.all(pools.map(async (pool) => pool?.end()));
  }

  #inTransaction<T>(begins: readonly string[], work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#tryAgain((connection) => {
      const { inTransaction = '' } = this.#keeping.get(connection) ?? {};
      const unlimited = `${inTransaction}set local statement_timeout = 0`;
      return within(connection, begins, unlimited, () =>
        work(statementsOf(connection, LONGEST_TRANSACTION_MS)),
      );
    });
  }

  async #tryAgain<T>(work: (connection: PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#onConnection(work);
      } catch (error) {
        if (tries === MOST_TRIES || !isPassing(error)) throw error;
      }
      await sleep(Math.random() * LONGEST_PAUSE_MS * tries);
    }
  }

  async #onConnection<T>(work: (connection: PoolClient) => Promise<T>): Promise<T> {
    this.#pool ??= openPool(this.#url, MOST_CONNECTIONS, this.#keeping);
    const connection = await this.#pool.connect().catch(throwLedgerError);
    try {
      const result = await work(connection);
      connection.release();
      return result;
    } catch (error) {
      // Its transaction ends with it.
      connection.release(true);
      throw error;
    }
  }
}

const READ_WRITE = 'begin isolation level read committed read write';
/** A standby refuses to begin a transaction that may write, and answers those that only read. */
const READ_ONLY_SERVER = 'begin isolation level read committed read only';

/** Does work in a transaction that begins in the first of these ways that the server takes. */
async function within<T>(
  connection: PoolClient,
  begins: readonly string[],
  settings: string,
  work: () => Promise<T>,
): Promise<T> {
  await begin(connection, begins, settings).catch(throwLedgerError);
  const result = await work();
  await connection.query('commit').catch(throwLedgerError);
  return result;
}

/** For the driver's own errors. An error of what is done with its rows is no absence of the server. */
function throwLedgerError(error: unknown): never {
  throw toLedgerError(error);
}

async function begin(
  connection: PoolClient,
  [first = '', ...others]: readonly string[],
  settings: string,
): Promise<void> {
  try {
    await connection.query(`${first}; ${settings}`);
  } catch (error) {
    if (others.length === 0 || !isReadOnlyServer(error)) throw error;
    await begin(connection, others, settings);
  }
}

/**
 * A connection that breaks between two statements fails the next one. Unheard, its event would end the process, also in the moment in which the
 * pool hands the connection out: each connection has this listener for as long as it is there.
 */
const ignored = (): void => undefined;

function openPool(url: string, max: number, keeping: WeakMap<PoolClient, Keeping>): PgPool {
  // Loaded here, because it is there only where somebody wants a ledger.
  const { Pool } = require('pg') as { readonly Pool: typeof PgPool };
  const pool = new Pool({
    connectionString: url,
    application_name: 'paysession',
    max,
    idleTimeoutMillis: IDLE_FOR_MS,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: STATEMENT_WITHIN_MS + CONNECT_WITHIN_MS,
    keepAlive: true,
    verify: (connection, done) => {
      prepare(connection, keeping).then(() => {
        done();
      }, done);
    },
  });
  // A connection that breaks while nobody uses it is replaced by the next who asks.
  pool.on('error', () => undefined);
  return pool;
}

async function prepare(connection: PoolClient, keeping: WeakMap<PoolClient, Keeping>): Promise<void> {
  connection.on('error', ignored);
  keeping.set(connection, await fixSettings(connection));
}

function statementsOf(connection: PoolClient, withinMs?: number): Statements {
  return {
    query: async <T extends object>(sql: string, values: readonly Value[] = []) => {
      const limit = withinMs !== undefined && { query_timeout: withinMs };
      try {
        return (await connection.query<T>({ text: sql, values: [...values], ...limit })).rows;
      } catch (error) {
        throw toLedgerError(error);
      }
    },
  };
}

/** A time as PostgreSQL writes it with the connection's settings: four digits of a year, and whole milliseconds. */
const STORED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/**
 * Returns a time that was read as text (`at::text`), in ISO 8601 with milliseconds. `undefined` if no writer could have written it: `infinity`, a
 * year before 0001 or after 9999, microseconds. The driver reads all of these as something else, or drops them.
 */
export function isoOf(text: string): string | undefined {
  const [, date, time, fraction = ''] = STORED.exec(text) ?? [];
  return date === undefined ? undefined : `${date}T${time}.${fraction.padEnd(3, '0')}Z`;
}
