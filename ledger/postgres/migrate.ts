import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { explain, PaysessionError, withRemedy } from '../../src/errors';
import type { LedgerDatabase, Statements } from './database';
import { refuseUnfitDatabase } from './server';
import { grantRights, type LedgerRoles } from './rights';

/** A migration: changes the ledger's tables from one version to the next. */
export interface Migration {
  /** The migration's number. The first one has the number 1, and there are no gaps. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

const FOLDER = join(__dirname, '..', 'migrations');

/** Reads all migrations in order, from files such as `ledger/migrations/0001-ledger.sql`. */
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

/** The number of PostgreSQL's advisory lock that is held during a migration. No other part of paysession uses this number. */
const LOCK = 7_297_391_011;

/**
 * Creates the ledger's tables, or migrates them to the version that this package needs. Also grants rights to the given roles. Everything runs
 * in one transaction. Only one process migrates at a time. If the tables already have this version, applies no migration.
 *
 * @param migrations all migrations in order. @default those of this package
 * @returns the migrations that were applied
 * @throws {@link PaysessionError} `LEDGER_DATABASE_UNFIT` if the database is not in UTF-8, or does not run triggers for the connected role
 * @throws {@link PaysessionError} `LEDGER_SCHEMA_NEWER` if a later version of this package has migrated the tables
 * @throws {@link PaysessionError} `LEDGER_REFUSED` if a role does not exist, or if the connected role may not change the tables
 * @throws {@link PaysessionError} `LEDGER_UNAVAILABLE` if the server does not answer
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
    await refuseUnfitDatabase(statements);
    await statements.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await statements.query('create schema if not exists paysession_ledger');
    await statements.query(`create table if not exists paysession_ledger.migrations (
      number integer primary key, name text not null, applied_at timestamptz not null default clock_timestamp()
    )`);
    const missing = missingAfter(await countApplied(statements), migrations);
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

/** Returns the migrations that {@link migrate} would apply. Changes nothing. */
export async function plannedMigrations(
  database: LedgerDatabase,
  migrations: readonly Migration[] = allMigrations(),
): Promise<readonly Migration[]> {
  await refuseUnfitDatabase(database);
  return missingAfter(await countApplied(database), migrations);
}

/**
 * Checks that the ledger's tables have the version that this package needs.
 *
 * @throws {@link PaysessionError} `LEDGER_DATABASE_UNFIT` if the database is not in UTF-8, or does not run triggers for the connected role
 * @throws {@link PaysessionError} `LEDGER_SCHEMA_OUTDATED` if migrations are missing
 * @throws {@link PaysessionError} `LEDGER_SCHEMA_NEWER` if a later version of this package has migrated the tables
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

/** Counts the applied migrations. Returns 0 if the tables do not exist. */
async function countApplied(statements: Statements): Promise<number> {
  const [table] = await statements.query<{ found: boolean }>(
    "select to_regclass('paysession_ledger.migrations') is not null as found",
  );
  if (table?.found !== true) return 0;
  const [row] = await statements.query<{ number: number | null }>(
    'select max(number) as number from paysession_ledger.migrations',
  );
  return row?.number ?? 0;
}

function missingAfter(appliedCount: number, migrations: readonly Migration[]): readonly Migration[] {
  if (appliedCount <= migrations.length) return migrations.slice(appliedCount);
  const code = 'LEDGER_SCHEMA_NEWER';
  const happened = `The ledger has ${appliedCount} migrations; this version of paysession knows ${migrations.length}.`;
  throw new PaysessionError(code, withRemedy(code, happened));
}
