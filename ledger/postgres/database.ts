import type { Pool as PgPool, PoolClient } from 'pg';
import { needPeerPackages } from '../../src/files/optional-packages';
import { toLedgerError } from './failures';

/** A value of a statement. */
export type Value = string | number | Buffer | null;

/** Runs statements on one connection. */
export interface Statements {
  /** Gives the rows. Throws `PaysessionError`, whose cause is the driver's. */
  query<T extends object>(sql: string, values?: readonly Value[]): Promise<T[]>;
}

/** A server that does not answer must not hold up a worker: it goes on without, or asks again. */
const CONNECT_WITHIN_MS = 2_000;
const STATEMENT_WITHIN_MS = 5_000;
/**
 * Once for each connection, since PgBouncer refuses it as a parameter of the connection itself. In its transaction mode it reaches only some
 * of the connections that paysession's processes share; on the others the driver gives a statement up, a little later.
 */
const LIMIT_STATEMENTS = `set statement_timeout = ${STATEMENT_WITHIN_MS}`;
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

/** The connections of one process to the ledger's PostgreSQL server. */
export class LedgerDatabase implements Statements {
  readonly #url: string;
  #pool: PgPool | undefined;
  /** Opened by the first snapshot: workers have none. */
  #snapshots: PgPool | undefined;
  /** Break the snapshots that are open. */
  readonly #open = new Set<() => void>();

  /** Connects when it is first asked something. Throws `MissingPackagesError` where `pg` is not installed. */
  constructor(url: string) {
    needPeerPackages('The ledger', ['pg']);
    this.#url = url;
  }

  async query<T extends object>(sql: string, values: readonly Value[] = []): Promise<T[]> {
    try {
      return (await this.#opened().query<T>(sql, [...values])).rows;
    } catch (error) {
      throw toLedgerError(error);
    }
  }

  /** Runs statements in one transaction, without the time limit of single ones. */
  async transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    const connection = await connected(this.#opened());
    connection.on('error', ignored);
    try {
      const statements = statementsOf(connection);
      await statements.query('begin');
      await statements.query('set local statement_timeout = 0');
      const result = await work(statements);
      await statements.query('commit');
      connection.off('error', ignored);
      connection.release();
      return result;
    } catch (error) {
      // Its transaction ends with it.
      connection.release(true);
      throw toLedgerError(error);
    }
  }

  /** Reads all as it is at one moment. */
  async snapshot<T>(read: (statements: Statements) => Promise<T>): Promise<T> {
    return this.transaction(async (statements) => {
      await statements.query('set transaction isolation level repeatable read, read only');
      return read(statements);
    });
  }

  /**
   * Opens a snapshot, which its reader ends. A few can be open at the same time. One that breaks, or that its reader leaves alone for
   * minutes, ends by itself: the reader's next statement throws `LEDGER_UNAVAILABLE`.
   */
  async openSnapshot(): Promise<Snapshot> {
    this.#snapshots ??= openPool(this.#url, MOST_SNAPSHOTS);
    const connection = await connected(this.#snapshots);
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
      await statements.query('begin isolation level repeatable read, read only');
      await statements.query(`set local statement_timeout = ${SNAPSHOT_STATEMENT_MS}`);
      await statements.query(`set local idle_in_transaction_session_timeout = ${SNAPSHOT_IDLE_MS}`);
    } catch (error) {
      release(true);
      throw error;
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

  #opened(): PgPool {
    this.#pool ??= openPool(this.#url, MOST_CONNECTIONS);
    return this.#pool;
  }
}

/** A connection that breaks between two statements fails the next one: unheard, its event would end the process. */
const ignored = (): void => undefined;

async function connected(pool: PgPool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toLedgerError(error);
  }
}

function openPool(url: string, max: number): PgPool {
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
      limitStatements(connection).then(() => {
        done();
      }, done);
    },
  });
  // A connection that breaks while nobody uses it is replaced by the next who asks.
  pool.on('error', () => undefined);
  return pool;
}

async function limitStatements(connection: PoolClient): Promise<void> {
  connection.on('error', ignored);
  await connection.query(LIMIT_STATEMENTS);
  connection.off('error', ignored);
}

function statementsOf(connection: PoolClient, withinMs = LONGEST_TRANSACTION_MS): Statements {
  return {
    query: async <T extends object>(sql: string, values: readonly Value[] = []) => {
      try {
        const query = { text: sql, values: [...values], query_timeout: withinMs };
        return (await connection.query<T>(query)).rows;
      } catch (error) {
        throw toLedgerError(error);
      }
    },
  };
}
