import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, PaysessionError, withRemedy } from '../../src/errors';
import type { LedgerDatabase, Statements } from './database';
import { refuseUnfit } from './server';
import { grantRights, type LedgerRoles } from './rights';

/** A step that migrates the ledger's tables from one version to the next. */
export interface Migration {
  /** The step's number, from 1, without gaps. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

const FOLDER = join(__dirname, '..', 'migrations');

/** Returns all steps in order: the files of `ledger/migrations`, such as `0001-ledger.sql`. */
export function allMigrations(): readonly Migration[] {
  const files = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort();
  return files.map((file, index) => ({
    number: index + 1,
    name: file.slice(0, -'.sql'.length),
    sql: readFileSync(join(FOLDER, file), 'utf8'),
  }));
}

/** The advisory lock of a migration under way. The number is paysession's own. */
const LOCK = 7_297_391_011;

/**
 * Brings the ledger's tables to this version in one transaction, and grants roles the rights that they need. Only one process migrates at a
 * time. A second run makes no step.
 *
 * @param migrations all steps in order; those of this version by default
 * @returns the steps that were made
 * @throws {@link PaysessionError} `LEDGER_DATABASE_UNFIT` if the database is not in UTF-8 or runs no triggers for this role,
 * `LEDGER_SCHEMA_NEWER` if a later version has migrated the tables, `LEDGER_REFUSED` if a role does not exist or the connected role may not
 * change the tables, `LEDGER_UNAVAILABLE` if the server does not answer
 *
 * @example
 * ```ts
 * const database = new LedgerDatabase('postgresql://OWNER:PASSWORD@HOST/DATABASE');
 * for (const { name } of await migrate(database)) console.log('migrated', name);
 * await database.close();
 * ```
 */
export async function migrate(
  database: LedgerDatabase,
  roles: LedgerRoles = {},
  migrations: readonly Migration[] = allMigrations(),
): Promise<readonly Migration[]> {
  return database.transaction(async (statements) => {
    await refuseUnfit(statements);
    await statements.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await statements.query('create schema if not exists paysession_ledger');
    await statements.query(`create table if not exists paysession_ledger.migrations (
      number integer primary key, name text not null, applied_at timestamptz not null default clock_timestamp()
    )`);
    const missing = missingAfter(await appliedMigrations(statements), migrations);
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

/** Returns the steps that {@link migrate} would make. Changes nothing. */
export async function plannedMigrations(
  database: LedgerDatabase,
  migrations: readonly Migration[] = allMigrations(),
): Promise<readonly Migration[]> {
  await refuseUnfit(database);
  return missingAfter(await appliedMigrations(database), migrations);
}

/**
 * Checks that the ledger's tables have this version.
 *
 * @throws {@link PaysessionError} `LEDGER_DATABASE_UNFIT` if the database is not in UTF-8 or runs no triggers for this role,
 * `LEDGER_SCHEMA_OUTDATED` if steps are missing, `LEDGER_SCHEMA_NEWER` if a later version has migrated the tables
 */
export async function checkSchema(
  database: LedgerDatabase,
  migrations: readonly Migration[] = allMigrations(),
): Promise<void> {
  const missing = await plannedMigrations(database, migrations);
  if (missing.length === 0) return;
  const code = 'LEDGER_SCHEMA_OUTDATED';
  throw new PaysessionError(code, explain(code));
}

/** Returns the number of steps that were made; 0 if there are no tables. */
async function appliedMigrations(statements: Statements): Promise<number> {
  const [table] = await statements.query<{ found: boolean }>(
    "select to_regclass('paysession_ledger.migrations') is not null as found",
  );
  if (table?.found !== true) return 0;
  const [row] = await statements.query<{ number: number | null }>(
    'select max(number) as number from paysession_ledger.migrations',
  );
  return row?.number ?? 0;
}

function missingAfter(applied: number, migrations: readonly Migration[]): readonly Migration[] {
  if (applied <= migrations.length) return migrations.slice(applied);
  const code = 'LEDGER_SCHEMA_NEWER';
  const happened = `The ledger has ${applied} migrations; this version of paysession knows ${migrations.length}.`;
  throw new PaysessionError(code, withRemedy(code, happened));
}
