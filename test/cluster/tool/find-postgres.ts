import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { isExecutable } from '../../../engine/cache/temporal-cli';

/** Debian keeps each major version in a folder of its own, outside of the PATH. */
const DEBIAN = '/usr/lib/postgresql';

const PROGRAMS = ['initdb', 'postgres', 'pg_isready'];

/** The folder of PostgreSQL's programs. Throws an `Error` that says where it looked and what to install. */
export async function findPostgres(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const onPath = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of [...(await debianFolders()), ...onPath]) {
    const found = await Promise.all(PROGRAMS.map((name) => isExecutable(join(folder, name))));
    if (found.every(Boolean)) return folder;
  }
  throw new Error(
    `A cluster needs PostgreSQL, and ${PROGRAMS.join(', ')} are neither in ${DEBIAN}/*/bin nor on the PATH. ` +
      'Install it, on Debian with: apt-get install postgresql',
  );
}

/** The newest first. */
async function debianFolders(): Promise<string[]> {
  const versions = await readdir(DEBIAN).catch(() => []);
  return versions
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(DEBIAN, version, 'bin'));
}
