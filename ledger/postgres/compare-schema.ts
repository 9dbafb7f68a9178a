import type { LedgerFault } from '../log/fault';
import type { Statements } from './database';
import { RECORDED_SCHEMA } from './recorded-schema';
import { allMigrations } from './migrate';

const SCHEMA = 'paysession_ledger';

/** Compares the ledger's database schema with the schema that the migrations make. */

/** The definitions of a schema's objects, by name. A name is, for example, `column entries.key`. */
export type SchemaDescription = Readonly<Record<string, string>>;

/**
 * Reads the objects of a schema that affect which rows it can store and return. Leaves out owners and rights, which differ between
 * installations. Also leaves out indexes that only make statements faster. The definitions are the same in PostgreSQL 14 to 18.
 */
export async function describeSchema(statements: Statements): Promise<SchemaDescription> {
  const rows = await statements.query<{ object: string; definition: string }>(DESCRIBE, [SCHEMA]);
  const sorted = rows.toSorted((one, other) => (one.object < other.object ? -1 : 1));
  return Object.fromEntries(sorted.map(({ object, definition }) => [object, definition]));
}

const RELATIONS = `
  select case relkind when 'v' then 'view ' else 'table ' end || relname, concat_ws(' ',
    case relkind when 'r' then 'table' when 'v' then 'view' else 'relation ' || relkind::text end,
    case when relkind = 'v' then array_to_string(reloptions, ' ') end,
    case when relpersistence <> 'p' then 'persistence ' || relpersistence::text end,
    case when relrowsecurity then 'row security' end, case when relforcerowsecurity then 'forced' end)
  from relations where relkind not in ('i', 'I', 'c', 't')`;

/** Selects columns. Leaves out the columns of views, because the rules of the views contain them. */
const COLUMNS = `
  select 'column ' || relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod),
    case when attcollation <> 0 then 'collate ' || (select collname from pg_collation where pg_collation.oid = attcollation) end,
    case when attnotnull then 'not null' end,
    case when attgenerated <> '' then 'generated ' || attgenerated::text end,
    case when attidentity <> '' then 'identity ' || attidentity::text end,
    'default ' || pg_get_expr(adbin, adrelid))
  from relations join pg_attribute on attrelid = relations.oid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relkind not in ('i', 'I', 'c', 't', 'v') and attnum > 0 and not attisdropped`;

/**
 * Selects constraints. Leaves out "not null", because PostgreSQL lists it as a constraint only from version 18 on. A foreign key counts as
 * disabled if one of its triggers is disabled.
 */
const CONSTRAINTS = `
  select 'constraint ' || relname || '.' || conname, concat_ws(' ', pg_get_constraintdef(pg_constraint.oid),
    case when not convalidated then 'not valid' end,
    case when exists (select from pg_trigger where tgconstraint = pg_constraint.oid and tgenabled <> 'O') then 'disabled' end)
  from relations join pg_constraint on conrelid = relations.oid where contype <> 'n'`;

const UNIQUE_INDEXES = `
  select 'index ' || indexes.relname, concat_ws(' ', pg_get_indexdef(indexrelid), case when not (indisvalid and indisready) then 'invalid' end)
  from pg_index join relations on relations.oid = indrelid join pg_class indexes on indexes.oid = indexrelid where indisunique`;

const TRIGGERS = `
  select 'trigger ' || relname || '.' || tgname, pg_get_triggerdef(pg_trigger.oid) || case tgenabled when 'O' then '' else ' disabled ' || tgenabled::text end
  from relations join pg_trigger on tgrelid = relations.oid where not tgisinternal`;

const FUNCTIONS = `
  select 'function ' || proname || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')', concat_ws(' ', 'returns', pg_get_function_result(pg_proc.oid),
    (select lanname from pg_language where pg_language.oid = prolang), 'kind', prokind::text, provolatile::text, proparallel::text,
    case when proisstrict then 'strict' end, case when prosecdef then 'security definer' end, proconfig::text,
    encode(sha256(convert_to(prosrc || coalesce(pg_get_function_sqlbody(pg_proc.oid), ''), 'UTF8')), 'hex'))
  from pg_proc where pronamespace = (select oid from home)`;

const POLICIES = `
  select 'policy ' || relname || '.' || polname, concat_ws(' ', polcmd::text, case when not polpermissive then 'restrictive' end,
    'using ' || pg_get_expr(polqual, polrelid), 'with check ' || pg_get_expr(polwithcheck, polrelid))
  from relations join pg_policy on polrelid = relations.oid`;

const RULES = `
  select 'rule ' || relname || '.' || rulename, pg_get_ruledef(pg_rewrite.oid) from relations join pg_rewrite on ev_class = relations.oid`;

/** Selects child tables. PostgreSQL would return their rows together with the rows of the parent table. */
const CHILDREN = `
  select 'child ' || relname || ' of ' || inhparent::regclass::text, inhrelid::regclass::text
  from pg_inherits join pg_class on pg_class.oid = inhrelid
  where inhparent in (select oid from relations where relkind not in ('i', 'I')) or inhrelid in (select oid from relations where relkind not in ('i', 'I'))`;

const DESCRIBE = `
  with home as (select oid from pg_namespace where nspname = $1),
  relations as (select * from pg_class where relnamespace = (select oid from home)),
  described (object, definition) as (${[
    RELATIONS,
    COLUMNS,
    CONSTRAINTS,
    UNIQUE_INDEXES,
    TRIGGERS,
    FUNCTIONS,
    POLICIES,
    RULES,
    CHILDREN,
  ].join(' union all ')})
  select object, definition from described`;

/** A fault of the schema. */
export interface SchemaFault {
  readonly fault: LedgerFault;
  /** True if a table or a column differs, so that the rows may be unreadable. */
  readonly isUnreadable: boolean;
}

/** Compares the schema with the migrations. Returns one fault. If a table or column differs, returns that fault rather than others. */
export async function schemaFault(statements: Statements): Promise<SchemaFault | undefined> {
  const found = firstDifference(await describeSchema(statements));
  if (found !== undefined)
    return { fault: { kind: 'schema', message: found.message }, isUnreadable: isTableOrColumn(found.object) };
  return migrationsFault(statements);
}

const isTableOrColumn = (object: string): boolean => /^(?:table|column) /.test(object);

/** Returns the first object that is gone, that differs from the migrations, or that no migration has made. */
function firstDifference(
  described: SchemaDescription,
): { readonly object: string; readonly message: string } | undefined {
  const objects = [...new Set([...Object.keys(RECORDED_SCHEMA), ...Object.keys(described)])].sort();
  const differing = objects.filter((object) => described[object] !== RECORDED_SCHEMA[object]);
  const object = differing.find(isTableOrColumn) ?? differing[0];
  if (object === undefined) return undefined;
  const [expected, found] = [RECORDED_SCHEMA[object], described[object]];
  if (found === undefined) return { object, message: `The ledger’s ${object} is gone.` };
  if (expected === undefined) return { object, message: `No migration has made the ledger’s ${object}.` };
  return { object, message: `The ledger’s ${object} differs from the one that the migrations make.` };
}

/** Compares the table of applied migrations with the migrations of this version. */
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
