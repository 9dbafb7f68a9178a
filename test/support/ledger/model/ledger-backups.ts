import type { LedgerDatabase } from '../../../../ledger';

/** The rows of all tables of a ledger, as JSON. */
export type LedgerBackup = ReadonlyMap<string, string>;

/** Makes backups of a ledger’s rows and restores them, like backups of a database but within milliseconds. */
export class LedgerBackups {
  readonly #database: LedgerDatabase;
  #columns: Promise<ReadonlyMap<string, string>> | undefined;

  constructor(database: LedgerDatabase) {
    this.#database = database;
  }

  async take(): Promise<LedgerBackup> {
    const columns = await this.#tables();
    return this.#database.snapshot(async (statements) => {
      const backup = new Map<string, string>();
      for (const table of columns.keys()) {
        const [row] = await statements.query<{ rows: string }>(
          `select coalesce(json_agg(t), '[]')::text as rows from paysession_ledger.${table} t`,
        );
        backup.set(table, row?.rows ?? '[]');
      }
      return backup;
    });
  }

  /** Replaces all rows by a backup. */
  async restore(backup: LedgerBackup): Promise<void> {
    const tables = await this.#tables();
    await this.#database.transaction(async (statements) => {
      // Without triggers and foreign keys, the rows are restored unchanged.
      await statements.query('set local session_replication_role = replica');
      for (const [table, columns] of tables) {
        await statements.query(`delete from paysession_ledger.${table}`);
        await statements.query(
          `insert into paysession_ledger.${table} (${columns}) overriding system value
            select ${columns} from json_populate_recordset(null::paysession_ledger.${table}, $1::json)`,
          [backup.get(table) ?? '[]'],
        );
      }
    });
  }

  /** Returns the columns of each table, except those that PostgreSQL generates. */
  #tables(): Promise<ReadonlyMap<string, string>> {
    this.#columns ??= this.#readTables();
    return this.#columns;
  }

  async #readTables(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#database.query<{ name: string; columns: string }>(
      `select table_name as name, string_agg(quote_ident(column_name), ', ') as columns
        from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = 'paysession_ledger' and table_type = 'BASE TABLE' and is_generated = 'NEVER' and table_name <> 'migrations'
        group by table_name order by table_name`,
    );
    return new Map(rows.map(({ name, columns }) => [name, columns]));
  }
}
