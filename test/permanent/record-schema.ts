/** Writes what the migrations make into `ledger/schema/recorded-schema.ts`, with which a verification compares: `npm run record:schema`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { startPostgres } from '../../engine/start-postgres';
import { LedgerDatabase } from '../../ledger/postgres/database';
import { describeSchema, type SchemaDescription } from '../../ledger/schema/describe-schema';
import { migrate } from '../../ledger/schema/migrate';
import { readCacheFolder } from '../../src/settings';

const FILE = join(__dirname, '../../ledger/schema/recorded-schema.ts');

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
  const text = `import type { SchemaDescription } from './describe-schema';

/** The schema as the migrations make it; \`npm run record:schema\` writes it. */
export const RECORDED_SCHEMA: SchemaDescription = ${JSON.stringify(await describeMigrated())};
`;
  await writeFile(FILE, await format(text, { ...(await resolveConfig(FILE)), parser: 'typescript' }));
}

record().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
