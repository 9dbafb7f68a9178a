/** Checks properties of the database and its server. The ledger depends on them, but cannot set them. */
import { PaysessionError, withRemedy } from '../../src/errors';
import type { LedgerDatabase, Statements } from './database';

/**
 * Throws an error if the ledger cannot use the database.
 *
 * @throws {@link PaysessionError} `LEDGER_DATABASE_UNFIT` if the database cannot hold all texts, or runs no triggers for this role
 */
export async function refuseUnfitDatabase(statements: Statements): Promise<void> {
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

/** The properties of the ledger's server that `paysession doctor` reports. */
export interface LedgerServer {
  /** The version of PostgreSQL, such as `16.2`. */
  readonly version: string;
  readonly isStandby: boolean;
  /** The settings, with their values, because of which the server may lose data that it has acknowledged. */
  readonly risks: readonly string[];
}

/** Reads properties of the server that only its administrator can change. */
export async function describeServer(database: LedgerDatabase): Promise<LedgerServer | undefined> {
  const [server] = await database.query<LedgerServer>(
    `select current_setting('server_version') as version, pg_is_in_recovery() as "isStandby", array(
        select name || ' = ' || setting from pg_settings
          where name in ('fsync', 'full_page_writes') and setting <> 'on' order by name
      ) as risks`,
  );
  return server;
}
