/** Fixes the connection settings that our statements depend on, whatever the database, the role or the server sets. */
import type { PoolClient } from 'pg';

/** The time limit of a statement, in milliseconds. A server that does not answer must not block a worker. */
export const STATEMENT_WITHIN_MS = 5_000;

/**
 * Settings that change the meaning, the result or the durability of a statement. Settings of the planner and locales are left alone: columns
 * that are compared or sorted have the collation `C`, and no statement formats by a locale.
 */
const FIXED: Readonly<Record<string, string>> = {
  // The driver reads times only in this form.
  datestyle: 'ISO, YMD',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // A backslash in a text is a backslash.
  standard_conforming_strings: 'on',
  // With this path, PostgreSQL's own functions are found before all others. All other names are written with their schema.
  search_path: 'public',
  // The role that connects must not decide which rows a statement sees, or whether it may write.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  row_security: 'on',
  // An acknowledged claim must survive a crash of the server, because a create request follows it.
  synchronous_commit: 'on',
  statement_timeout: String(STATEMENT_WITHIN_MS),
  // The limit of statements also bounds these waits. A verification computes between two statements, so idle time has no limit.
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
};

/** A connection with the driver's process id: that of the server's process, or one that a pooler made up. */
type Numbered = PoolClient & { readonly processID?: number | null };

/**
 * Fixes the settings of a new connection. Connection parameters cannot carry them, since PgBouncer refuses those. A pooler is detected by its
 * process id, which differs from that of the server's process.
 *
 * @returns the statements to run at the beginning of each transaction; empty for a direct connection. A pooler may use another server connection
 * for the next transaction, and settings for a whole session would leak to other clients of that connection
 */
export async function fixSettings(connection: Numbered): Promise<string> {
  const [, { rows }] = (await connection.query(ASK)) as unknown as readonly [
    unknown,
    { readonly rows: readonly Asked[] },
  ];
  const settings = rows.map(({ name, setting }) => ({ name, value: fixedValue(name, setting) }));
  if (rows[0]?.pid !== connection.processID) return written('set local', settings);
  await connection.query(written('set', settings));
  return '';
}

interface Asked {
  readonly pid: number;
  readonly name: string;
  readonly setting: string;
}

/** Selects the settings that this version of the server knows. Two statements sent together are one transaction. */
const ASK = `set local statement_timeout = ${STATEMENT_WITHIN_MS}; select pg_backend_pid() as pid, lower(name) as name, setting from pg_catalog.pg_settings
  where lower(name) in (${Object.keys(FIXED)
    .map((name) => `'${name}'`)
    .join(', ')})`;

/** Returns the value to set. A stricter value of the server stays. */
const fixedValue = (name: string, setting: string): string =>
  name === 'synchronous_commit' && setting === 'remote_apply' ? setting : (FIXED[name] ?? setting);

const written = (
  how: 'set' | 'set local',
  settings: readonly { readonly name: string; readonly value: string }[],
): string => settings.map(({ name, value }) => `${how} ${name} = '${value}'; `).join('');
