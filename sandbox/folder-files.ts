import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PaysessionError } from '../src/errors';
import { makeFolder, OWNER_ONLY_FOLDER, ownerOnly, ownerOnlyFolder, systemCode } from '../src/files';

/**
 * The name of the mark, a file that a folder gets after its first write. If a marked folder's store is empty, its records are lost.
 */
const MARK = 'PAYSESSION_SANDBOX';

const STORE_FILES = /^(CURRENT|LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.(log|ldb|sst|dbtmp))$/;

/** Files of a store whose creation was interrupted. They hold no data that a response has confirmed. */
const UNFINISHED_FILES = /^(LOCK|LOG|LOG\.old|MANIFEST-\d+|\d+\.dbtmp)$/;

/** Creates a missing folder, for this user only. Checks the files before the store opens the folder, because the store may change them. */
export async function inspectFolder(path: string): Promise<{ readonly isMarked: boolean }> {
  const files = await listFiles(path);
  const isMarked = files.includes(MARK);
  const others = files.filter((file) => file !== MARK);
  const foreign = others.find((file) => !STORE_FILES.test(file));
  if (foreign !== undefined) throw foreignFolder(path, foreign);
  const isUnfinished = !isMarked && others.every((file) => UNFINISHED_FILES.test(file));
  if (!others.includes('CURRENT') && !isUnfinished) throw damagedFolder(path, 'the file CURRENT is missing');
  return { isMarked };
}

async function listFiles(path: string): Promise<readonly string[]> {
  try {
    makeFolder(path, OWNER_ONLY_FOLDER);
    return await readdir(path);
  } catch (error) {
    throw unreadableFolder(path, error);
  }
}

/**
 * Lets only this user read the stored data, even in an older folder or with a lax umask. The store creates new files at any time. Until
 * the next call, only the folder's own rights protect the new files.
 */
export async function keepToOwner(path: string): Promise<void> {
  await ownerOnlyFolder(path);
  const files = await readdir(path);
  const own = files.filter((file) => file === MARK || STORE_FILES.test(file));
  await Promise.all(own.map((file) => ownerOnly(join(path, file))));
}

/** Writes the mark. Resolves once it is on disk. */
export async function markFolder(path: string): Promise<void> {
  const file = await open(join(path, MARK), 'w', 0o600);
  try {
    await file.writeFile('The data of a paysession sandbox.\n');
    await file.sync();
  } finally {
    await file.close();
  }
}

/** True if the store skipped unreadable data when it was opened. Only the store's own log says so. */
export async function droppedWrites(path: string): Promise<boolean> {
  const log = await readFile(join(path, 'LOG'), 'latin1').catch(() => '');
  return /: dropping \d+ bytes; /.test(log);
}

const invalid = (message: string, cause?: unknown): PaysessionError =>
  new PaysessionError('INVALID_FILE', message, { cause });

/** Returns the error of a folder that another process, or another sandbox of this process, has open. */
export function folderInUse(path: string, cause: unknown): PaysessionError {
  return new PaysessionError(
    'FOLDER_IN_USE',
    `The data folder ${path} is in use by another sandbox, such as that of \`paysession dev\`. Choose another folder (\`--data\`), or stop that sandbox.`,
    { cause },
  );
}

/** Returns the error of a folder that has files of other programs. */
export function foreignFolder(path: string, file: string): PaysessionError {
  return invalid(
    `The folder ${path} holds ${file}, which does not belong to a sandbox. Choose another folder or an empty one.`,
  );
}

/** Returns the error of a folder whose data is lost or was changed. */
export function damagedFolder(path: string, what: string, cause?: unknown): PaysessionError {
  return invalid(
    `The data folder ${path} is damaged: ${what}. Restore a copy of the folder, or delete it to start over.`,
    cause,
  );
}

export function otherVersion(path: string): PaysessionError {
  return invalid(
    `The data folder ${path} was written by another version of paysession. Use that version, or choose another folder.`,
  );
}

export function unreadableFolder(path: string, cause: unknown): PaysessionError {
  const why = systemCode(cause) ?? 'unknown error';
  return invalid(
    `The data folder ${path} cannot be opened (${why}). Choose a folder that this user may read and write.`,
    cause,
  );
}
