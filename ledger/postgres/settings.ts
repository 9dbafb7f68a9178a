/** The settings of a connection that our statements rest on, whatever its database, its role or the server says. */
import type { PoolClient } from 'pg';

/** A server that does not answer must not hold up a worker: it goes on without, or asks again. Milliseconds. */
export const STATEMENT_WITHIN_MS = 5_000;

/**
 * Settings that change what a statement means or returns, or what becomes of it. Left alone: how plans are made, and locales, since columns
 * have the collation `C` and no statement formats by a locale.
 */
const FIXED: Readonly<Record<string, string>> = {
  // The driver reads times in this form alone.
  datestyle: 'ISO, YMD',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // A backslash in a text is a backslash.
  standard_conforming_strings: 'on',
  // PostgreSQL's own functions come first then, and every other name has its schema.
  search_path: 'public',
  // What a statement sees, and whether it may write, must not depend on who connects.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  row_security: 'on',
  // An acknowledged claim survives a crash of the server: a create is sent after it.
  synchronous_commit: 'on',
  statement_timeout: String(STATEMENT_WITHIN_MS),
  // The limit of statements bounds these waits as well; a verification computes between two statements.
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
};

/** How a connection keeps settings. */
export interface Keeping {
  /**
   * Set at the beginning of each transaction, as a pooler may lend another of the server's connections to the next one: what is set for longer
   * would stay with one of them, whoever uses it then. Empty for a connection of our own.
   */
  readonly inTransaction: string;
}

/** The driver's number of the connection: the process of the server that it was given, or what a pooler gave out instead. */
type Numbered = PoolClient & { readonly processID?: number | null };

/**
 * Fixes the settings of a new connection. They cannot be parameters of the connection itself, as PgBouncer refuses those. A connection of a
 * pooler is told by the server's process, which is not the one that the pooler named.
 */
export async function fixSettings(connection: Numbered): Promise<Keeping> {
  const [, { rows }] = (await connection.query(ASK)) as unknown as readonly [
    unknown,
    { readonly rows: readonly Asked[] },
  ];
  const settings = rows.map(({ name, setting }) => ({ name, value: fixedValue(name, setting) }));
  if (rows[0]?.pid !== connection.processID) return { inTransaction: written('set local', settings) };
  await connection.query(written('set', settings));
  return { inTransaction: '' };
}

interface Asked {
  readonly pid: number;
  readonly name: string;
  readonly setting: string;
}

/** Those that this server knows: each version has others. Two statements at once are one transaction. */
const ASK = `set local statement_timeout = ${STATEMENT_WITHIN_MS}; select pg_backend_pid() as pid, lower(name) as name, setting from pg_catalog.pg_settings
  where lower(name) in (${Object.keys(FIXED)
    .map((name) => `'${name}'`)
    .join(', ')})`;

/** A stricter one stays. */
const fixedValue = (name: string, setting: string): string =>
  name === 'synchronous_commit' && setting === 'remote_apply' ? setting : (FIXED[name] ?? setting);

const written = (
  how: 'set' | 'set local',
  settings: readonly { readonly name: string; readonly value: string }[],
): string => settings.map(({ name, value }) => `${how} ${name} = '${value}'; `).join('');
