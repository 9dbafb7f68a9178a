import { unreadableFolder } from '../../sandbox/folder-files';
import { makeFolder, OTHERS_PASS_FOLDER, OWNER_ONLY_FOLDER } from '../../src/files';
import { postgresUser } from '../../src/temporal-server/postgres-programs';

/**
 * Creates a data folder if it does not exist. Returns the mode that the folder should have. Throws `PaysessionError` `INVALID_FILE` if the folder
 * cannot be used.
 */
export function openDataFolder(path: string): number {
  // If this process runs as root, the ledger's server runs as another user. That user must be able to enter the folder.
  const mode = postgresUser() === undefined ? OWNER_ONLY_FOLDER : OTHERS_PASS_FOLDER;
  try {
    makeFolder(path, mode);
  } catch (error) {
    throw unreadableFolder(path, error);
  }
  return mode;
}
