import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { endServers } from '../../../testkit/kept-servers';

export default async function globalTeardown(): Promise<void> {
  const { temporal, postgres, postgresFolder } = globalThis.paysessionTestServers;
  await Promise.all([temporal?.stop(), postgres.stop(), endServers()]);
  await rm(postgresFolder, { recursive: true });
  const bundle = process.env['PAYSESSION_TEST_BUNDLE'];
  if (bundle !== undefined) await rm(dirname(bundle), { recursive: true, force: true });
}
