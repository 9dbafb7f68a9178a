import type { LedgerFault } from '../log/fault';
import type { Statements } from '../postgres/database';
import { describeSchema, type SchemaDescription } from './describe-schema';
import { allMigrations } from './migrations';
import { RECORDED_SCHEMA } from './recorded-schema';

/** A fault of the schema. */
export interface SchemaFault {
  readonly fault: LedgerFault;
  /** Tables or columns differ, so that their rows say nothing. */
  readonly isUnreadable: boolean;
}

/** Compares the schema with what the migrations make. Returns the first object that differs, those first without which rows cannot be read. */
export async function schemaFault(statements: Statements): Promise<SchemaFault | undefined> {
  const found = firstDifference(await describeSchema(statements));
  if (found !== undefined)
    return { fault: { kind: 'schema', message: found.message }, isUnreadable: isRead(found.object) };
  return migrationsFault(statements);
}

const isRead = (object: string): boolean => /^(?:table|column) /.test(object);

/** Returns the first object that is gone, is not of the migrations, or is another one. */
function firstDifference(
  described: SchemaDescription,
): { readonly object: string; readonly message: string } | undefined {
  const objects = [...new Set([...Object.keys(RECORDED_SCHEMA), ...Object.keys(described)])].sort();
  const differing = objects.filter((object) => described[object] !== RECORDED_SCHEMA[object]);
  const object = differing.find(isRead) ?? differing[0];
  if (object === undefined) return undefined;
  const [expected, found] = [RECORDED_SCHEMA[object], described[object]];
  if (found === undefined) return { object, message: `The ledger’s ${object} is gone.` };
  if (expected === undefined) return { object, message: `No migration has made the ledger’s ${object}.` };
  return { object, message: `The ledger’s ${object} is another one than the migrations make.` };
}

/** Compares the rows of the table of migrations. */
async function migrationsFault(statements: Statements): Promise<SchemaFault | undefined> {
  const rows = await statements.query<{ number: number; name: string }>(
    'select number, name from paysession_ledger.migrations order by number',
  );
  const textOf = (all: readonly { readonly number: number; readonly name: string }[]): string =>
    JSON.stringify(all.map(({ number, name }) => [number, name]));
  if (textOf(rows) === textOf(allMigrations())) return undefined;
  const message = 'The table of migrations does not have the migrations of this version.';
  return { fault: { kind: 'schema', message }, isUnreadable: false };
}
