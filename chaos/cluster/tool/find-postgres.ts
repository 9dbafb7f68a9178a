import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isExecutable } from '../../../src/temporal-server/cache';

/** Debian keeps each major version in a folder of its own, outside of the PATH. */
const DEBIAN = '/usr/lib/postgresql';

const PROGRAMS = ['initdb', 'postgres', 'pg_isready', 'pg_basebackup', 'pg_ctl', 'psql'];

export interface FindPostgresOptions {
  /** Holds the PATH. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** Holds a folder for each version. @default that of Debian's packages */
  readonly debian?: string;
}

/** The folder of PostgreSQL's programs. Throws an `Error` that says where it looked and what to install. */
export async function findPostgres({
  env = process.env,
  debian = DEBIAN,
}: FindPostgresOptions = {}): Promise<string> {
  const onPath = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of [...(await versionFolders(debian)), ...onPath]) {
    const found = await Promise.all(PROGRAMS.map((name) => isExecutable(join(folder, name))));
    if (found.every(Boolean)) return folder;
  }
  throw new Error(
    `A cluster needs PostgreSQL, and ${PROGRAMS.join(', ')} are neither in ${debian}/*/bin nor on the PATH. ` +
      'Install it, on Debian with: apt-get install postgresql',
  );
}

/** The newest first. */
async function versionFolders(folder: string): Promise<string[]> {
  const versions = await readdir(folder).catch(() => []);
  return versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(folder, version, 'bin'));
}
