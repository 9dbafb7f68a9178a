import { LedgerDatabase, migrate } from '../../ledger';

/** Creates the tables of a new ledger, calls `work` with its database, and returns the result. */
export async function migrated<T>(url: string, work: (database: LedgerDatabase) => Promise<T>): Promise<T> {
  const database = new LedgerDatabase(url);
  try {
    await migrate(database);
    return await work(database);
  } finally {
    await database.close();
  }
}
