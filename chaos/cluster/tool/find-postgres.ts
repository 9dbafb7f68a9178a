import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isExecutable } from '../../../src/temporal-server/cache';

/** Debian keeps each major version in a folder of its own, outside the PATH. */
const DEBIAN = '/usr/lib/postgresql';

const PROGRAMS = ['initdb', 'postgres', 'pg_isready', 'pg_basebackup', 'pg_ctl', 'psql'];

export interface FindPostgresOptions {
  /** The environment with the PATH. @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** The folder that has a folder for each version of PostgreSQL. @default the folder of Debian's packages */
  readonly debian?: string;
}

/**
 * Returns the folder of PostgreSQL's programs. Throws an `Error` that lists the searched folders and the package to
 * install.
 */
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

/** Returns the folders of the versions' programs, the newest version first. */
async function versionFolders(folder: string): Promise<string[]> {
  const versions = await readdir(folder).catch(() => []);
  return versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(folder, version, 'bin'));
}
