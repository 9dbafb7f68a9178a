import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A step that brings the ledger's tables from one version to the next. */
export interface Migration {
  /** Counts from 1, without a gap. */
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

const FOLDER = join(__dirname, '..', 'migrations');

/** Returns all steps, the first first: the files of `ledger/migrations`, such as `0001-ledger.sql`. */
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
