/** Checks the properties of the database and its server that the ledger depends on and cannot set itself. */
import { PaysessionError, withRemedy } from '../../src/errors';
import type { LedgerDatabase, Statements } from './database';

/**
 * Refuses a database that the ledger cannot use.
 *
 * @throws {@link PaysessionError} `LEDGER_DATABASE_UNFIT` if the database cannot hold all texts, or runs no triggers for this role
 */
export async function refuseUnfit(statements: Statements): Promise<void> {
  const [row] = await statements.query<{ readonly encoding: string; readonly role: string }>(
    `select current_setting('server_encoding') as encoding, current_setting('session_replication_role') as role`,
  );
  // SQL_ASCII accepts any bytes, and could mix texts of two encodings.
  if (row?.encoding !== 'UTF8')
    throw unfit(`The ledger’s database is in ${row?.encoding ?? 'no encoding'} and not in UTF-8.`);
  if (row.role === 'replica')
    throw unfit('The ledger’s role has session_replication_role = replica, so that no trigger runs.');
}

function unfit(happened: string): PaysessionError {
  const code = 'LEDGER_DATABASE_UNFIT';
  return new PaysessionError(code, withRemedy(code, happened));
}

/** The ledger's server as `doctor` reports it. */
export interface LedgerServer {
  /** Such as `16.2`. */
  readonly version: string;
  readonly isStandby: boolean;
  /** The settings, with their values, that let the server lose acknowledged data. */
  readonly risks: readonly string[];
}

/** Reads the server properties that only its administrator can change. */
export async function describeServer(database: LedgerDatabase): Promise<LedgerServer | undefined> {
  const [server] = await database.query<LedgerServer>(
    `select current_setting('server_version') as version, pg_is_in_recovery() as "isStandby", array(
        select name || ' = ' || setting from pg_settings
          where name in ('fsync', 'full_page_writes') and setting <> 'on' order by name
      ) as risks`,
  );
  return server;
}
