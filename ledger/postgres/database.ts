import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool as PgPool, PoolClient } from 'pg';
import { SettingsError } from '../../src/errors';
import { connectTimeoutMs, postgresFault } from '../../src/settings/postgres-url';
import { isPassing, isReadOnlyServer, toLedgerError } from './failures';
import { fixSettings, STATEMENT_WITHIN_MS } from './settings';
import { needPeerPackages } from '../../src/files';

/** A value of a statement. */
export type Value = string | number | Buffer | null;

/** Runs statements on the ledger's database. */
export interface Statements {
  /** Runs a statement and returns the rows. Throws `PaysessionError` with the driver's error as its cause. */
  query<T extends object>(sql: string, values?: readonly Value[]): Promise<T[]>;
}

/** The time that is added to the server's time limit of a statement, to get the longest wait for an answer. */
const ANSWER_WITHIN_MS = 2_000;
/** The time limit of a transaction. It is long, because a migration indexes all rows, and a verification reads the whole log. */
const LONGEST_TRANSACTION_MS = 24 * 60 * 60_000;
/**
 * The time that an idle connection stays open. It is longer than the interval at which a worker checks the ledger. So the connection stays open,
 * and no payment waits for a new one.
 */
const IDLE_FOR_MS = 60_000;
/** The maximum number of a process's connections, except those for snapshots. A PostgreSQL server allows 100 connections by default. */
const MOST_CONNECTIONS = 10;
/** The maximum number of connections for snapshots. Downloads and exports use them, so that slow readers do not block other callers. */
const MOST_SNAPSHOTS = 3;
/** A snapshot ends if its reader pauses for this long, because an open snapshot keeps PostgreSQL from removing old rows. */
const SNAPSHOT_IDLE_MS = 5 * 60_000;
/** The time limit of a statement in a snapshot. It is long, because a page of a list may have to be sorted without an index. */
const SNAPSHOT_STATEMENT_MS = 60_000;

/** Statements that all see the database as it was when the snapshot was opened. */
export interface Snapshot extends Statements {
  /** Ends the snapshot and releases its connection. */
  end(): Promise<void>;
}

/** The maximum number of attempts after conflicts with other transactions. A conflict is over as soon as one of the transactions has ended. */
const MOST_TRIES = 5;
const LONGEST_PAUSE_MS = 20;

/**
 * The connections of one process to the ledger's PostgreSQL server.
 *
 * All statements throw `PaysessionError`. The code is `LEDGER_UNAVAILABLE` if the server does not answer or cannot run the statement now. It is
 * `LEDGER_REFUSED` if the server would refuse the statement each time, and `LEDGER_SCHEMA_OUTDATED` if a table or column is missing.
 */
export class LedgerDatabase implements Statements {
  readonly #url: string;
  /** The longest wait for a connection, in milliseconds: for a new one, or until one in the pool is free. */
  readonly #connectWithinMs: number;
  /** The statements that each connection runs at the beginning of a transaction. */
  readonly #settings = new WeakMap<PoolClient, string>();
  #pool: PgPool | undefined;
  /** The pool for snapshots. The first call of `openSnapshot` creates it. Workers never call that method. */
  #snapshots: PgPool | undefined;
  /** For each open snapshot, a function that ends it at once. */
  readonly #open = new Set<() => void>();

  /**
   * Does not connect yet. The first statement connects.
   *
   * @throws `MissingPackagesError` if `pg` is not installed
   * @throws `SettingsError` if the URL is invalid, names several hosts, or has an unsupported parameter
   */
  constructor(url: string) {
    needPeerPackages('The ledger', ['pg']);
    const message = postgresFault(url);
    if (message !== undefined) throw new SettingsError([{ path: 'the ledger’s URL', message }]);
    this.#url = url;
    this.#connectWithinMs = connectTimeoutMs(url);
  }

  /** Runs a single statement. After a conflict with another transaction, runs the statement again. */
  async query<T extends object>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    return this.#tryAgain((connection) => {
      const settings = this.#settings.get(connection) ?? '';
      const statements = statementsOf(connection);
      return settings === ''
        ? statements.query<T>(sql, values)
        : within(connection, [READ_WRITE, READ_ONLY_SERVER], settings, () =>
            statements.query<T>(sql, values),
          );
    });
  }

  /**
   * Runs work in one transaction. The time limit of single statements does not apply. If PostgreSQL undoes the transaction because of a conflict
   * with another one, runs the work again. If the work itself throws, throws that error unchanged.
   */
  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#inTransaction([READ_WRITE, READ_ONLY_SERVER], work);
  }

  /** Runs statements that all see the database as it is at one moment. They can only read. */
  async snapshot<T>(read: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#inTransaction(['begin isolation level repeatable read read only'], read);
  }

  /**
   * Opens a snapshot. The reader must end it. At most three snapshots are open at the same time. A further call waits until one ends, and throws
   * `LEDGER_UNAVAILABLE` if that takes too long.
   *
   * A snapshot ends by itself if its connection breaks, or if its reader pauses for five minutes. The reader's next statement then throws
   * `LEDGER_UNAVAILABLE`.
   */
  async openSnapshot(): Promise<Snapshot> {
    this.#snapshots ??= this.#openPool(MOST_SNAPSHOTS);
    const connection = await this.#connect(this.#snapshots);
    const settings = this.#settings.get(connection) ?? '';
    const statements = statementsOf(connection, SNAPSHOT_STATEMENT_MS + ANSWER_WITHIN_MS);
    let isOver = false;
    const release = (isBroken: boolean) => {
      if (isOver) return;
      isOver = true;
      this.#open.delete(breaks);
      // A broken connection may report more than one error.
      if (!isBroken) connection.off('error', breaks);
      connection.release(isBroken);
    };
    // The connection is released at once, because the reader may never run another statement, and other readers may be waiting.
    const breaks = (): void => {
      release(true);
    };
    connection.on('error', breaks);
    this.#open.add(breaks);
    try {
      await connection.query(
        `begin isolation level repeatable read read only; ${settings}set local statement_timeout = ${SNAPSHOT_STATEMENT_MS}`,
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

  /** Waits for running statements, and closes all connections. Ends open snapshots at once, because their readers may never end them. */
  async close(): Promise<void> {
    for (const breaks of [...this.#open]) breaks();
    const pools = [this.#pool, this.#snapshots];
    this.#pool = undefined;
    this.#snapshots = undefined;
    await Promise.all(pools.map(async (pool) => pool?.end()));
  }

  #inTransaction<T>(begins: readonly string[], work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#tryAgain((connection) => {
      const settings = this.#settings.get(connection) ?? '';
      const unlimited = `${settings}set local statement_timeout = 0`;
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
    this.#pool ??= this.#openPool(MOST_CONNECTIONS);
    const connection = await this.#connect(this.#pool);
    try {
      const result = await work(connection);
      connection.release();
      return result;
    } catch (error) {
      // Closing the connection also ends its transaction.
      connection.release(true);
      throw error;
    }
  }

  /**
   * Returns a connection with the settings of `fixSettings`. The caller releases it. The settings are not set in the pool's own `verify`
   * function: if a request timed out there, its connection would never be released.
   */
  async #connect(pool: PgPool): Promise<PoolClient> {
    const connection = await pool.connect().catch(throwLedgerError);
    if (this.#settings.has(connection)) return connection;
    try {
      this.#settings.set(connection, await fixSettings(connection));
      return connection;
    } catch (error) {
      connection.release(true);
      throw toLedgerError(error);
    }
  }

  #openPool(max: number): PgPool {
    // Loaded only here, because `pg` is installed only if a ledger is used.
    const { Pool } = require('pg') as { readonly Pool: typeof PgPool };
    const pool = new Pool({
      connectionString: this.#url,
      application_name: 'paysession',
      max,
      idleTimeoutMillis: IDLE_FOR_MS,
      connectionTimeoutMillis: this.#connectWithinMs,
      query_timeout: STATEMENT_WITHIN_MS + ANSWER_WITHIN_MS,
      keepAlive: true,
    });
    pool.on('connect', (connection) => connection.on('error', ignored));
    // An idle connection broke. The pool replaces it at the next request.
    pool.on('error', () => undefined);
    return pool;
  }
}

const READ_WRITE = 'begin isolation level read committed read write';
/** The statement that begins a transaction on a standby server. A standby allows only transactions that read. */
const READ_ONLY_SERVER = 'begin isolation level read committed read only';

/** Runs work in a transaction. Begins the transaction with the first of the statements in `begins` that the server accepts. */
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

/**
 * Converts an error of the driver. Use it only for the driver's own promises. An error in the caller's work must not be converted: it does not
 * mean that the server is down.
 */
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
 * Ignores a connection's errors between two statements. After such an error, the next statement fails anyway. Without a listener for errors,
 * Node would end the process. So each connection has this listener as long as it exists.
 */
const ignored = (): void => undefined;

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

/** Replaces the characters that PostgreSQL cannot store in a text with `?`: NUL, and half of a surrogate pair. */
export const storable = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '?');

/** Matches a time as PostgreSQL writes it with the connection's settings. The year has four digits, and the time has whole milliseconds. */
const STORED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/**
 * Converts a time that was read as text (`at::text`) to ISO 8601 with milliseconds. Returns `undefined` for a time that paysession never
 * writes: `infinity`, a year before 0001 or after 9999, or a time with microseconds. The driver would misread such times.
 */
export function isoOf(text: string): string | undefined {
  const [, date, time, fraction = ''] = STORED.exec(text) ?? [];
  return date === undefined ? undefined : `${date}T${time}.${fraction.padEnd(3, '0')}Z`;
}

/** Converts a row to an object without the columns that are null. Times become texts in ISO 8601. */
export const membersOf = (row: Readonly<Record<string, string | number | Date | null>>): object =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
