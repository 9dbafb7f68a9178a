/**
 * `npm run record:schema` runs this program. It runs all migrations, and writes the resulting database schema into
 * `ledger/postgres/recorded-schema.ts`. The verification of a ledger compares the ledger's schema with this file.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../src/temporal-server/start-postgres';
import { LedgerDatabase } from '../../ledger/postgres/database';
import { migrate } from '../../ledger/postgres/migrate';
import { readCacheFolder } from '../../src/settings';
import { describeSchema, type SchemaDescription } from '../../ledger/postgres/compare-schema';
import { formatFile } from '../support/format-file';

const FILE = join(__dirname, '../../ledger/postgres/recorded-schema.ts');

async function describeMigrated(): Promise<SchemaDescription> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-schema-'));
  const postgres = await startPostgres({ folder, cacheFolder: readCacheFolder() });
  const database = new LedgerDatabase(postgres.url);
  try {
    await migrate(database);
    return await describeSchema(database);
  } finally {
    await database.close();
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

async function record(): Promise<void> {
  const text = `/** The schema as the migrations make it; \`npm run record:schema\` writes it. */
export const RECORDED_SCHEMA: Readonly<Record<string, string>> = ${JSON.stringify(await describeMigrated())};
`;
  await writeFile(FILE, text);
  formatFile(FILE);
}

record().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
