import { chmod, lstat, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, relative } from 'node:path';

/** The umask of a process that makes all its files for their owner only. */
export const OWNER_ONLY_UMASK = 0o077;

/** The mode of a folder that is made for its owner only. */
export const OWNER_ONLY_FOLDER = 0o700;

/** The rights of everybody but the owner. */
export const OTHERS = 0o077;

/** The mode of a folder that others may pass through, to what they know by name. */
export const OTHERS_PASS_FOLDER = 0o711;

/**
 * Removes other users' rights to a file or folder of this user, all that `mode` does not give. Does nothing if it is missing, is a link
 * or belongs to somebody else, or if the system has no such rights.
 */
export async function ownerOnly(path: string, mode = OWNER_ONLY_FOLDER): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || stats.isSymbolicLink() || stats.uid !== process.getuid?.()) return;
  const others = OTHERS & ~mode;
  if ((stats.mode & others) === 0) return;
  // It may be gone by now, or on a disk without rights.
  await chmod(path, stats.mode & ~others & 0o777).catch(() => undefined);
}

/** The same for a data folder, unless this user's home or working folder is in it: then it holds more than the data. */
export async function ownerOnlyFolder(path: string, mode = OWNER_ONLY_FOLDER): Promise<void> {
  const folder = await realpath(path);
  const home = await realpath(homedir()).catch(() => homedir());
  if (!isWithin(home, folder) && !isWithin(process.cwd(), folder)) await ownerOnly(folder, mode);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(/[/\\]/)[0] !== '..';
}
