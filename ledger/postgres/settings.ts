/**
 * Sets the PostgreSQL settings that the ledger's statements depend on, for each connection. So the defaults of the database, the role and the
 * server do not matter.
 */
import type { PoolClient } from 'pg';

/** The time limit of a statement, in milliseconds. A server that does not answer must not block a worker. */
export const STATEMENT_WITHIN_MS = 5_000;

/**
 * Settings that affect the meaning, the result or the durability of a statement, and their values. Settings of the query planner are left
 * unchanged. Locales are left unchanged too, because the columns that statements compare or sort have the collation `C`.
 */
const FIXED: Readonly<Record<string, string>> = {
  // The driver can read times only in this format.
  datestyle: 'ISO, YMD',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // In a text, a backslash is an ordinary character.
  standard_conforming_strings: 'on',
  // With this path, PostgreSQL's own functions are found first. Statements name all other objects with their schema.
  search_path: 'public',
  // These settings of the connected role would affect which rows a statement sees, and if it may write.
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  row_security: 'on',
  // An acknowledged claim must survive a crash of the server, because a create request follows it.
  synchronous_commit: 'on',
  statement_timeout: String(STATEMENT_WITHIN_MS),
  // These limits are off. `statement_timeout` also limits waits for locks. Idle time is not limited, because a verification computes for a
  // while between two statements.
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  transaction_timeout: '0',
};

/** A connection with the server's process id, as the driver knows it. Behind a pooler, it is an id that the pooler has made up. */
type Numbered = PoolClient & { readonly processID?: number | null };

/**
 * Sets the settings of a new connection. They are not sent as connection parameters, because PgBouncer refuses such parameters.
 *
 * A direct connection keeps the settings. A pooler may use another server connection for each transaction, and the settings would affect its
 * other clients. So behind a pooler, the settings are set at the beginning of each transaction, and only for that transaction. A pooler is
 * detected by its process id, which is not that of the server's process.
 *
 * @returns the statements to run at the beginning of each transaction. Empty for a direct connection
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

/** Selects the settings that this version of the server has. The two statements are sent together, so they are one transaction. */
const ASK = `set local statement_timeout = ${STATEMENT_WITHIN_MS}; select pg_backend_pid() as pid, lower(name) as name, setting from pg_catalog.pg_settings
  where lower(name) in (${Object.keys(FIXED)
    .map((name) => `'${name}'`)
    .join(', ')})`;

/** Returns the value to set. If the server's own value is stricter, returns that value. */
const fixedValue = (name: string, setting: string): string =>
  name === 'synchronous_commit' && setting === 'remote_apply' ? setting : (FIXED[name] ?? setting);

const written = (
  how: 'set' | 'set local',
  settings: readonly { readonly name: string; readonly value: string }[],
): string => settings.map(({ name, value }) => `${how} ${name} = '${value}'; `).join('');
