import { runCommand } from '../../../src/temporal-server/run-command';
import type { DatabaseLogin } from './database';
import { TEMPORAL_HOST } from '../../../src/temporal-server/start-server';

/** The databases that a cluster needs. Each value is the name of the database's schema in the SQL tool. */
export const DATABASES = { temporal: 'temporal', temporal_visibility: 'visibility' } as const;

const TIMEOUT_MS = 120_000;

/** Makes the databases with the current schema. */
export async function createSchema(sqlTool: string, login: DatabaseLogin): Promise<void> {
  const { port, user, password } = login;
  const run = (database: string, ...args: string[]) =>
    runCommand({
      file: sqlTool,
      args: [
        ...['--plugin', 'postgres12', '--endpoint', TEMPORAL_HOST, '--port', String(port), '--user', user],
        ...['--database', database, ...args],
      ],
      // Other users could read a password on the command line.
      env: { ...process.env, SQL_PASSWORD: password },
      timeoutMs: TIMEOUT_MS,
    });
  await Promise.all(
    Object.entries(DATABASES).map(async ([database, schema]) => {
      await run(database, 'create-database');
      await run(database, 'setup-schema', '--version', '0.0');
      await run(database, 'update-schema', '--schema-name', `postgresql/v12/${schema}`);
    }),
  );
}
