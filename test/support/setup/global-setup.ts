import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  resolveTemporalServer,
  startTemporalServer,
  type RunningTemporalServer,
} from '../../../src/temporal-server';
import { startPostgres, type RunningPostgres } from '../../../src/temporal-server/start-postgres';
import { readCacheFolder, readTemporalSettings } from '../../../src/settings';
import { LedgerDatabase, migrate } from '../../../ledger';
import keepTestServers from '../../../testkit/kept-servers';
// Imported for later use: Jest transforms modules only until this module is loaded.
import '../../../testkit/ledger-server';
import { LEDGER_TEMPLATE } from './global-values';
import { writeBundle } from './write-bundle';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';

declare global {
  var paysessionTestServers: {
    readonly temporal?: RunningTemporalServer;
    readonly postgres: RunningPostgres;
    readonly postgresFolder: string;
  };
}

/**
 * Starts what all test files share: a Temporal server, a PostgreSQL server, the bundle of the workflow code, and test servers for
 * payment worlds. The tests are separated by their own task queues, keys and databases.
 */
export default async function globalSetup(): Promise<void> {
  const [temporal, database] = await Promise.all([
    startTemporal(),
    startDatabase(),
    writeBundle(),
    keepTestServers({}),
  ]);
  globalThis.paysessionTestServers = { ...(temporal !== undefined && { temporal }), ...database };
}

async function startTemporal(): Promise<RunningTemporalServer | undefined> {
  const { addressIsSet, connection } = readTemporalSettings(process.env);
  if (addressIsSet) {
    process.env['PAYSESSION_TEST_TEMPORAL'] = connection.address;
    return undefined;
  }
  const { executable } = await resolveTemporalServer({
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  const running = await startTemporalServer({
    executable,
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
  });
  process.env['PAYSESSION_TEST_TEMPORAL'] = running.address;
  process.env['PAYSESSION_TEST_TEMPORAL_EXECUTABLE'] = executable;
  return running;
}

async function startDatabase() {
  const postgresFolder = await mkdtemp(join(tmpdir(), 'paysession-ledger-'));
  const postgres = await startPostgres({ folder: postgresFolder, cacheFolder: readCacheFolder() });
  process.env['PAYSESSION_TEST_POSTGRES'] = postgres.url;
  await createLedgerTemplate(postgres.url);
  return { postgres, postgresFolder };
}

/** Creates the migrated database that test ledgers copy. Copying takes a third of the time of the migrations. */
async function createLedgerTemplate(url: string): Promise<void> {
  const server = new LedgerDatabase(url);
  await server.query(`create database ${LEDGER_TEMPLATE}`);
  await server.close();
  const template = new LedgerDatabase(url.replace(/[^/]*$/, LEDGER_TEMPLATE));
  await migrate(template);
  await template.close();
}
