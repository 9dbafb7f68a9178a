// Random changes to a ledger by the owner of its database: in all tables and columns, and in the schema.
import type { Statements } from '../../../ledger/postgres/database';

const S = 'paysession_ledger';

/** The columns and tables in which a verification cannot find changes, each with the reason. */
export const NO_EVIDENCE: Readonly<Record<string, string>> = {
  'claims.reference_parts': 'PostgreSQL generates them from the reference, only for searches',
  'entries.written_at': 'no hash covers it: only a command that sends webhooks of a period again reads it',
  'checkpoints.signed_at': 'nothing reads it',
  'migrations.applied_at': 'nothing reads it',
  'session_keys.wrapped': 'a rewrap changes it; a reader with another key is refused',
  'session_keys.wrapped_with': 'a rewrap changes it; a reader with another key is refused',
  webhook_outbox: 'only senders know which webhooks are delivered',
  webhook_deliveries: 'answers that senders have received, and remove after a month',
  webhook_endpoints: 'what senders record of their endpoints',
  webhook_settings: 'what senders record of themselves',
  unmatched_lines:
    'a line of a file is not an entry: its id covers its content, but nothing covers its existence',
  reconciliation_runs: 'what runs record of themselves',
  namespaces: 'what workers record of themselves',
  ops_conditions: 'what workers and senders report while a condition lasts',
  readers: 'the users whom the owner permits to read reports',
  writers: 'the users whom the owner permits to write',
};

/** A change to the ledger. */
export interface Made {
  readonly sql: string;
  /** True if only rows changed, to values that their columns allow. A comparison of the schema cannot find such a change. */
  readonly isOfRows: boolean;
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

type Random = () => number;
const pick = <T>(random: Random, some: readonly T[]): T => some[Math.floor(random() * some.length)] as T;

/** Returns SQL expressions for new values of a column `c` of this type: null, extreme values, and slightly changed values. */
function valuesOf(type: string, c: string): readonly string[] {
  if (type === 'bytea') return ['null', `''`, `sha256(${c})`, `${c} || '\\x00'`, `substr(${c}, 2)`];
  if (type === 'boolean') return ['null', `not ${c}`];
  if (type === 'timestamp with time zone')
    return [
      ...['null', `'infinity'`, `'-infinity'`, `'294276-12-31'`, `'4713-01-01 BC'`],
      ...['microsecond', 'millisecond', 'day', 'century'].map((unit) => `${c} + interval '1 ${unit}'`),
    ];
  if (type === 'integer') return ['null', '0', '-1', `${c} + 1`, `${c} - 1`, '2147483647', '-2147483648'];
  if (type === 'bigint')
    return ['null', '-1', `-${c}`, `${c} + 1`, '9223372036854775807', '-9223372036854775808'];
  if (type === 'numeric')
    return ['null', '0', `'NaN'`, `'infinity'`, `${c} + 0.01`, `${c} + 1e-20`, `-${c}`, '1e300'];
  if (type === 'text[]') return ['null', `'{}'`, `array['x']`];
  return [
    'null',
    `''`,
    `${c} || ' '`,
    `upper(${c})`,
    `reverse(${c})`,
    `replace(${c}, '1', '2')`,
    `repeat('x', 9999)`,
    `'{'`,
  ];
}

/** Makes random changes. The caller undoes each change by rolling back its transaction. */
export class RandomTamperings {
  readonly #random: Random;
  readonly #columns: readonly Column[];
  readonly #tables: readonly string[];

  private constructor(random: Random, columns: readonly Column[]) {
    this.#random = random;
    this.#columns = columns;
    this.#tables = [...new Set(columns.map(({ table }) => table))];
  }

  static async of(statements: Statements, random: Random): Promise<RandomTamperings> {
    const columns = await statements.query<Column>(
      `select relname as "table", attname as name, format_type(atttypid, atttypmod) as type, attnotnull as required
        from pg_class join pg_attribute on attrelid = pg_class.oid
        where relnamespace = '${S}'::regnamespace and relkind = 'r' and attnum > 0 and attgenerated = '' order by 1, 2`,
    );
    return new RandomTamperings(random, columns);
  }

  /** The columns whose changes a verification can find. */
  get #evident(): readonly Column[] {
    return this.#columns.filter(
      ({ table, name }) => !(table in NO_EVIDENCE) && !(`${table}.${name}` in NO_EVIDENCE),
    );
  }

  /** Tries random changes until one has an effect. */
  async make(statements: Statements): Promise<Made> {
    for (;;) {
      const made = this.#next();
      const changed = await attempt(statements, made);
      if (changed) return { sql: made.sql, isOfRows: made.isOfRows };
    }
  }

  #next(): Attempt {
    const column = pick(this.#random, this.#evident);
    const kinds = ['update', 'update', 'update', 'swap', 'insert', 'delete', 'define', 'define'] as const;
    switch (pick(this.#random, kinds)) {
      case 'update':
        return this.#update(column);
      case 'swap':
        return this.#swap(column);
      case 'insert':
        return this.#insert(column);
      case 'delete':
        return this.#delete(column);
      case 'define':
        return this.#define();
    }
  }

  #update({ table, name, type, required }: Column): Attempt {
    const value = pick(this.#random, valuesOf(type, name));
    const isNull = value === 'null' && required;
    return {
      before: [
        ...withoutRules(table),
        ...(isNull ? [`alter table ${S}.${table} alter ${name} drop not null`] : []),
      ],
      sql: `update ${S}.${table} set ${name} = ${value} where ctid = ${this.#row(table)} and ${name} is distinct from (${value}) returning 1`,
      isOfRows: !isNull && table !== 'migrations',
    };
  }

  /** Swaps a column’s values between two rows. In two tables, a swap would have no effect, so this updates a row there. */
  #swap(column: Column): Attempt {
    const { table, name } = column;
    if (table === 'unsequenced' || table === 'session_keys') return this.#update(column);
    return {
      before: withoutRules(table),
      sql: `update ${S}.${table} changed set ${name} = other.${name}
        from (select ctid, ${name} from ${S}.${table}) other, (select ${this.#row(table)} as one, ${this.#row(table)} as two) chosen
        where ((changed.ctid = one and other.ctid = two) or (changed.ctid = two and other.ctid = one))
          and changed.${name} is distinct from other.${name} returning 1`,
      isOfRows: true,
    };
  }

  /** Inserts a copy of a row with another value. */
  #insert({ table, name, type, required }: Column): Attempt {
    const names = this.#columns.filter((column) => column.table === table).map((column) => column.name);
    const value = pick(
      this.#random,
      valuesOf(type, name).filter((one) => one !== 'null' || !required),
    );
    const values = names.map((one) => (one === name ? value : one));
    return {
      before: withoutRules(table),
      sql: `insert into ${S}.${table} (${names.join(', ')}) select ${values.join(', ')} from ${S}.${table} where ctid = ${this.#row(table)} returning 1`,
      // For a duplicate row, the unique constraint had to be dropped. So a comparison of the schema finds this change.
      isOfRows: false,
    };
  }

  #delete({ table }: Column): Attempt {
    return {
      before: withoutRules(table),
      sql: `delete from ${S}.${table} where ctid = ${this.#row(table)} returning 1`,
      isOfRows: table !== 'migrations',
    };
  }

  /** Changes a part of the schema, such as a function or a trigger. */
  #define(): Attempt {
    const table = pick(this.#random, this.#tables);
    const { name, type } = pick(
      this.#random,
      this.#columns.filter((column) => column.table === table),
    );
    const t = `${S}.${table}`;
    const others: Readonly<Record<string, string>> = {
      text: 'varchar',
      integer: 'bigint',
      bigint: 'numeric',
      bytea: `text using encode(${name}, 'hex')`,
      'timestamp with time zone': 'timestamp',
      numeric: 'double precision',
      boolean: 'text',
    };
    const sql = pick(this.#random, [
      `alter table ${t} drop column ${name} cascade`,
      `alter table ${t} alter ${name} type ${others[type] ?? 'text'}`,
      `alter table ${t} rename column ${name} to other`,
      `alter table ${t} add column other text`,
      `alter table ${t} alter ${name} set default null; alter table ${t} alter ${name} drop default; alter table ${t} rename to other`,
      `alter table ${t} rename to other; create view ${t} as select * from ${S}.other`,
      `create materialized view ${S}.other as select * from ${t}`,
      `alter table ${t} enable row level security`,
      `alter table ${t} force row level security`,
      `create policy own on ${t} using (true)`,
      `create rule own as on insert to ${t} do also nothing`,
      `create table public.child () inherits (${t})`,
      `drop table ${t} cascade`,
      `alter table ${t} set schema public`,
      `alter table ${t} drop constraint ${table}_pkey cascade`,
      `create unique index own on ${t} (${name})`,
      `create trigger own before insert on ${t} for each row execute function ${S}.refuse_change()`,
      `drop index ${S}.${pick(this.#random, ['one_standing_claim_a_key', 'one_claim_a_session'])}`,
      `drop trigger ${pick(this.#random, TRIGGERS)}`,
      `alter table ${pick(this.#random, TRIGGERS).replace(/^(\S+) on (\S+)$/, '$2 disable trigger $1')}`,
      `alter table ${pick(this.#random, TRIGGERS).replace(/^(\S+) on (\S+)$/, '$2 enable replica trigger $1')}`,
      `drop function ${S}.${pick(this.#random, FUNCTIONS)}() cascade`,
      `alter function ${S}.${pick(this.#random, FUNCTIONS)}() set work_mem to '1MB'`,
      `create or replace function ${S}.${pick(this.#random, FUNCTIONS)}() returns trigger language plpgsql as 'begin return null; end'`,
      `create function ${S}.own() returns integer language sql as 'select 1'`,
    ]);
    return { before: [], sql, isOfRows: false };
  }

  /** Returns the SQL for a random row of the table. */
  #row(table: string): string {
    return `(select ctid from ${S}.${table} order by ctid offset (select floor(${this.#random()} * count(*)) from ${S}.${table}) limit 1)`;
  }
}

const FUNCTIONS = ['refuse_change', 'queue_webhooks', 'await_sequencer'];
const TRIGGERS = [
  `entries_are_kept on ${S}.entries`,
  `entries_queue_webhooks on ${S}.entries`,
  `entries_await_the_sequencer on ${S}.entries`,
  `log_is_kept on ${S}.log`,
  `checkpoints_are_kept_all on ${S}.checkpoints`,
  `session_keys_are_kept on ${S}.session_keys`,
];

interface Attempt extends Made {
  readonly before: readonly string[];
}

/** Returns statements that drop the table’s constraints, as the owner can. A verification must not depend on constraints. */
const withoutRules = (table: string): readonly string[] => [
  `do $$ declare rule record; begin
    for rule in select conname from pg_constraint where conrelid = '${S}.${table}'::regclass and contype <> 'n' loop
      execute format('alter table ${S}.${table} drop constraint if exists %I cascade', rule.conname);
    end loop;
    drop index if exists ${S}.one_standing_claim_a_key, ${S}.one_claim_a_session;
  end $$`,
];

/**
 * Makes a change. Returns true if the change had an effect. The database refuses some changes, for instance if a view depends on
 * the column, or if a value is too large.
 */
async function attempt(statements: Statements, { before, sql }: Attempt): Promise<boolean> {
  await statements.query('savepoint attempt');
  try {
    for (const statement of before) await statements.query(statement);
    const rows = await statements.query(sql);
    if (!sql.endsWith('returning 1') || rows.length > 0) return true;
  } catch {
    // The database has refused the change.
  }
  await statements.query('rollback to savepoint attempt');
  return false;
}
