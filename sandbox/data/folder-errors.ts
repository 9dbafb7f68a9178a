import { PaysessionError } from '../../src/errors';
import { systemCode } from '../../src/files';

/** Another process, or another sandbox of this one, has the folder open. */
export function folderInUse(path: string, cause: unknown): PaysessionError {
  return new PaysessionError(
    'FOLDER_IN_USE',
    `The data folder ${path} is in use by another sandbox. Choose another folder, or stop that sandbox.`,
    { cause },
  );
}

/** There are files of others in the folder. */
export function foreignFolder(path: string, file: string): PaysessionError {
  return new PaysessionError(
    'INVALID_FILE',
    `The folder ${path} holds ${file}, which does not belong to a sandbox. Choose another folder or an empty one.`,
  );
}

/** Something in the folder is lost or is not what was written. */
export function damagedFolder(path: string, what: string, cause?: unknown): PaysessionError {
  return new PaysessionError(
    'INVALID_FILE',
    `The data folder ${path} is damaged: ${what}. Restore a copy of the folder, or delete it to start over.`,
    { cause },
  );
}

export function otherVersion(path: string): PaysessionError {
  return new PaysessionError(
    'INVALID_FILE',
    `The data folder ${path} was written by another version of paysession. Use that version, or choose another folder.`,
  );
}

export function unreadableFolder(path: string, cause: unknown): PaysessionError {
  const why = systemCode(cause) ?? 'unknown error';
  return new PaysessionError(
    'INVALID_FILE',
    `The data folder ${path} cannot be opened (${why}). Choose a folder that this user may read and write.`,
    { cause },
  );
}
