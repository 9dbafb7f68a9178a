import { unreadableFolder } from '../../sandbox/folder-files';
import { makeFolder, OTHERS_PASS_FOLDER, OWNER_ONLY_FOLDER } from '../../src/files';
import { postgresUser } from '../../src/temporal-server/postgres-programs';

/** Makes the folder unless it exists, and returns the mode that the folder should have. Throws `PaysessionError` `INVALID_FILE`. */
export function openDataFolder(path: string): number {
  // If this process is root's, the ledger's server runs as another user, who must be able to enter the folder.
  const mode = postgresUser() === undefined ? OWNER_ONLY_FOLDER : OTHERS_PASS_FOLDER;
  try {
    makeFolder(path, mode);
  } catch (error) {
    throw unreadableFolder(path, error);
  }
  return mode;
}
