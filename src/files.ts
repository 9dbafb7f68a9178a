/** Functions for files and folders of this machine, and for the installed packages. */
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve, isAbsolute, relative } from 'node:path';

/** Returns the system's code of a caught error, such as `ENOENT`. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns the absolute path of the cache folder, for files that can be made again. It is the configured folder, or by default this
 * package's folder in the user's own cache. The folder may not exist yet.
 */
export function cacheFolderOf({ PAYSESSION_CACHE_DIR, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): string {
  // A variable with an empty value counts as unset.
  if (PAYSESSION_CACHE_DIR) return resolve(PAYSESSION_CACHE_DIR);
  return resolve(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'paysession');
}

/** The umask of a process whose new files only their owner may read. */
export const OWNER_ONLY_UMASK = 0o077;

/** The mode of a folder that only its owner may use. */
export const OWNER_ONLY_FOLDER = 0o700;

/**
 * Creates the folder and its missing parents. Node's own recursive `mkdir` is not used: in a file system that refuses a new folder with
 * `ENOENT`, such as `/proc`, it never returns, and the process cannot end.
 */
export function makeFolder(path: string, mode?: number): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    const exists = systemCode(error) === 'EEXIST';
    if (!exists || !statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** The rights of all users except the owner. */
export const OTHERS = 0o077;

/** The mode of a folder whose list only its owner may read. Other users may open files in it if they know the names. */
export const OTHERS_PASS_FOLDER = 0o711;

/**
 * Removes other users' rights to a file or folder of this user, except the rights in `mode`. Does nothing if the path is missing, is a
 * link or belongs to another user, or if the system has no such rights.
 */
export async function ownerOnly(path: string, mode = OWNER_ONLY_FOLDER): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || stats.isSymbolicLink() || stats.uid !== process.getuid?.()) return;
  const others = OTHERS & ~mode;
  if ((stats.mode & others) === 0) return;
  // The file may already be deleted, or its file system may have no rights.
  await chmod(path, stats.mode & ~others & 0o777).catch(() => undefined);
}

/**
 * As `ownerOnly`, for a data folder. Resolves links first, and rejects if the folder is missing. Does nothing if the folder is or
 * contains this user's home or working folder, because it then contains more than the data.
 */
export async function ownerOnlyFolder(path: string, mode = OWNER_ONLY_FOLDER): Promise<void> {
  const folder = await realpath(path);
  const home = await realpath(homedir()).catch(() => homedir());
  if (!isWithin(home, folder) && !isWithin(process.cwd(), folder)) await ownerOnly(folder, mode);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[/\\]/)[0] !== '..';
}

/**
 * The error of a part of paysession that needs packages which are not installed. The packages are optional dependencies, optional peers,
 * or Temporal's packages of a fitting version.
 *
 * A production install may omit the optional dependencies (`npm install --omit=optional`): clients need none of them, and workers need
 * one only to receive hints of the payment service.
 */
export class MissingPackagesError extends Error {
  override readonly name = 'MissingPackagesError';
  /** Node's own code. */
  readonly code = 'MODULE_NOT_FOUND';

  constructor(part: string, missing: readonly string[], remedy: string) {
    super(`${part} needs packages that are not installed: ${missing.join(', ')}. ${remedy}`);
  }
}

const INCLUDE_OPTIONAL =
  'They are optional dependencies of paysession; install them too (npm install --include=optional).';

/**
 * Throws `MissingPackagesError`, which says what to install, if one of the packages is missing. A part calls this function before it
 * loads the packages, because npm silently skips an optional package that cannot be installed.
 */
export function needOptionalPackages(part: string, names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) throw new MissingPackagesError(part, missing, INCLUDE_OPTIONAL);
}

/** As `needOptionalPackages`, for the optional peers of paysession, which users install themselves. */
export function needPeerPackages(part: string, names: readonly string[]): void {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) throw new MissingPackagesError(part, missing, installThem(missing));
}

/**
 * As `needPeerPackages`, for Temporal's packages. They work together only if all have the same minor version as the worker's package, or
 * without it, the client's package. A package manager may have chosen another version for packages that are not direct dependencies.
 */
export function needTemporalPackages(part: string, names: readonly string[]): void {
  const version = versionOf('@temporalio/worker') ?? versionOf('@temporalio/client');
  const missing = names.filter(
    (name) => version === undefined || minorOf(versionOf(name)) !== minorOf(version),
  );
  if (missing.length === 0) return;
  const wanted = missing.map((name) => (version === undefined ? name : `${name}@${version}`));
  throw new MissingPackagesError(part, wanted, installThem(wanted));
}

const installThem = (packages: readonly string[]): string =>
  `Install them: npm install ${packages.join(' ')}`;

const minorOf = (version: string | undefined): string | undefined => version?.split('.', 2).join('.');

function versionOf(name: string): string | undefined {
  const manifest = `${name}/package.json`;
  if (!isInstalled(manifest)) return undefined;
  return (JSON.parse(readFileSync(require.resolve(manifest), 'utf8')) as { readonly version: string })
    .version;
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}
