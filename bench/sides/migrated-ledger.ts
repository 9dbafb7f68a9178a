import { LedgerDatabase, migrate } from '../../ledger';

/** Makes the tables of a new ledger, and calls `work` with its database. */
export async function migrated<T>(url: string, work: (database: LedgerDatabase) => Promise<T>): Promise<T> {
  const database = new LedgerDatabase(url);
  try {
    await migrate(database);
    return await work(database);
  } finally {
    await database.close();
  }
}
