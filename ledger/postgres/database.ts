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
  /** Returns the rows. Throws `PaysessionError`, whose cause is the driver's error. */
  query<T extends object>(sql: string, values?: readonly Value[]): Promise<T[]>;
}

/** The time that an answer may take beyond the server's own limit of a statement. */
const ANSWER_WITHIN_MS = 2_000;
/** A migration indexes all rows, and a verification reads the whole log. An operator can stop both. */
const LONGEST_TRANSACTION_MS = 24 * 60 * 60_000;
/**
 * The time that an idle connection stays open: longer than a worker's interval of checks, so that no payment waits for a new connection.
 */
const IDLE_FOR_MS = 60_000;
/** Each worker's share of the server's connections, of which there are 100 by default. */
const MOST_CONNECTIONS = 10;
/** Downloads and exports have their own connections, so that slow readers do not block other callers. */
const MOST_SNAPSHOTS = 3;
/** A snapshot keeps PostgreSQL from cleaning up, so it ends if its reader pauses for this long. */
const SNAPSHOT_IDLE_MS = 5 * 60_000;
/** A page of a list may need a sort without an index. */
const SNAPSHOT_STATEMENT_MS = 60_000;

/** Reads the database as it is at one moment, in several steps. */
export interface Snapshot extends Statements {
  /** Ends the snapshot and releases its connection. */
  end(): Promise<void>;
}

/** The maximum number of tries. A conflict between running transactions is over as soon as one of them has ended. */
const MOST_TRIES = 5;
const LONGEST_PAUSE_MS = 20;

/**
 * The connections of one process to the ledger's PostgreSQL server.
 *
 * All statements throw `PaysessionError`: `LEDGER_UNAVAILABLE` if the server does not answer or cannot run a statement now, `LEDGER_REFUSED`
 * if it refuses the statement for good, `LEDGER_SCHEMA_OUTDATED` if a table or column is missing.
 */
export class LedgerDatabase implements Statements {
  readonly #url: string;
  /** The longest wait for a connection, also for one of the pool's, in milliseconds. */
  readonly #connectWithinMs: number;
  /** The statements that each connection runs at the beginning of a transaction. */
  readonly #settings = new WeakMap<PoolClient, string>();
  #pool: PgPool | undefined;
  /** Opened by the first `openSnapshot`, which workers never call. */
  #snapshots: PgPool | undefined;
  /** Functions that break the open snapshots. */
  readonly #open = new Set<() => void>();

  /**
   * Connects with the first statement.
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

  /** Runs a single statement. Runs it again after a conflict with another transaction. */
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
   * Runs statements in one transaction, without the time limit of single statements. If a conflict with another transaction has undone the work,
   * runs it again. Throws an error of the work itself unchanged.
   */
  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#inTransaction([READ_WRITE, READ_ONLY_SERVER], work);
  }

  /** Runs statements that read the database as it is at one moment. */
  async snapshot<T>(read: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#inTransaction(['begin isolation level repeatable read read only'], read);
  }

  /**
   * Opens a snapshot, which its reader must end. At most three are open at the same time. A further call waits for one to end, as long as for
   * a connection, and then throws `LEDGER_UNAVAILABLE`. A snapshot ends by itself if its connection breaks, or if its reader pauses for five minutes. The reader's
   * next statement then throws `LEDGER_UNAVAILABLE`, too.
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
    // Releases at once: the reader's next statement may never come, and other readers wait for the connection.
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

  /** Closes all connections after the statements under way. Ends snapshots at once, since their readers may never come back. */
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
   * Returns a connection with the settings of `fixSettings`. The caller releases it. The pool's own `verify` could set them, but a request
   * that times out meanwhile would keep the connection forever.
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
    // Loaded here, because `pg` is installed only if a ledger is used.
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
    // With the next request, the pool replaces an idle connection that broke.
    pool.on('error', () => undefined);
    return pool;
  }
}

const READ_WRITE = 'begin isolation level read committed read write';
/** A standby refuses to begin a transaction that may write, and allows one that only reads. */
const READ_ONLY_SERVER = 'begin isolation level read committed read only';

/** Runs the work in a transaction. Begins it with the first of these statements that the server accepts. */
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
 * Converts an error of the driver. Only for the driver's own promises: an error in the caller's work does not mean that the server is down.
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
 * Ignores a connection's errors between two statements: the next statement fails anyway. Without a listener, the event would end the process,
 * even while the pool hands the connection out. So each connection keeps this listener for its whole life.
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

/** Replaces each character that PostgreSQL cannot store in a text, NUL and half a surrogate pair, with `?`. */
export const storable = (text: string): string => text.replace(/\0|\p{Surrogate}/gu, '?');

/** A time as PostgreSQL writes it with the connection's settings: a four-digit year, and whole milliseconds. */
const STORED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/**
 * Converts a time that was read as text (`at::text`) to ISO 8601 with milliseconds. Returns `undefined` if no writer could have written it:
 * `infinity`, a year before 0001 or after 9999, or microseconds. The driver would misread these values, or drop the microseconds.
 */
export function isoOf(text: string): string | undefined {
  const [, date, time, fraction = ''] = STORED.exec(text) ?? [];
  return date === undefined ? undefined : `${date}T${time}.${fraction.padEnd(3, '0')}Z`;
}

/** Returns a row without its columns that are null, with times in ISO 8601. */
export const membersOf = (row: Readonly<Record<string, string | number | Date | null>>): object =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
