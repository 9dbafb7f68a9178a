import { explain, PaysessionError, withRemedy } from '../../src/errors';
import type { LedgerDatabase, Statements } from '../postgres/database';
import { allMigrations, type Migration } from './migrations';
import { grantRights, type LedgerRoles } from './rights';

/** Whoever migrates holds it. The number is paysession's own. */
const LOCK = 7_297_391_011;

/** The tables of the ledger as they are. */
interface Applied {
  /** How many steps were made; 0 where there are no tables. */
  readonly number: number;
}

/**
 * Brings the ledger's tables to this version, in one transaction, while nobody else does, and gives roles what they need of them; gives the
 * steps that were made. A second run makes none. Throws `PaysessionError` `LEDGER_SCHEMA_NEWER` where a later version has migrated them, and
 * `LEDGER_REFUSED` where a role is missing.
 */
export async function migrate(
  database: LedgerDatabase,
  roles: LedgerRoles = {},
): Promise<readonly Migration[]> {
  return database.transaction(async (statements) => {
    await statements.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await statements.query('create schema if not exists paysession_ledger');
    await statements.query(`create table if not exists paysession_ledger.migrations (
      number integer primary key, name text not null, applied_at timestamptz not null default clock_timestamp()
    )`);
    const missing = missingAfter(await appliedMigrations(statements));
    for (const { number, name, sql } of missing) {
      await statements.query(sql);
      const values = [number, name];
      await statements.query(
        'insert into paysession_ledger.migrations (number, name) values ($1, $2)',
        values,
      );
    }
    await grantRights(statements, roles);
    return missing;
  });
}

/** The steps that `migrate` would make. Changes nothing. Throws as `migrate` does. */
export async function plannedMigrations(database: LedgerDatabase): Promise<readonly Migration[]> {
  return missingAfter(await appliedMigrations(database));
}

/** Throws `PaysessionError` `LEDGER_SCHEMA_OUTDATED` or `LEDGER_SCHEMA_NEWER` unless the tables are those of this version. */
export async function checkSchema(database: LedgerDatabase): Promise<void> {
  const missing = await plannedMigrations(database);
  if (missing.length === 0) return;
  const code = 'LEDGER_SCHEMA_OUTDATED';
  throw new PaysessionError(code, explain(code));
}

async function appliedMigrations(statements: Statements): Promise<Applied> {
  const [table] = await statements.query<{ found: boolean }>(
    "select to_regclass('paysession_ledger.migrations') is not null as found",
  );
  if (table?.found !== true) return { number: 0 };
  const [row] = await statements.query<{ number: number | null }>(
    'select max(number) as number from paysession_ledger.migrations',
  );
  return { number: row?.number ?? 0 };
}

function missingAfter({ number }: Applied): readonly Migration[] {
  const all = allMigrations();
  if (number <= all.length) return all.slice(number);
  const code = 'LEDGER_SCHEMA_NEWER';
  const happened = `The ledger has ${number} migrations; this version of paysession knows ${all.length}.`;
  throw new PaysessionError(code, withRemedy(code, happened));
}
