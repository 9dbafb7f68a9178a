import { mkdir } from 'node:fs/promises';
import { unreadableFolder } from '../../sandbox/folder-files';
import { OTHERS_PASS_FOLDER, OWNER_ONLY_FOLDER } from '../../src/files';
import { postgresUser } from '../../src/temporal-server/postgres-programs';

/** Makes the folder unless it exists. Returns the mode that it should have. Throws `PaysessionError` `INVALID_FILE`. */
export async function openDataFolder(path: string): Promise<number> {
  // The ledger's server may be another user's.
  const mode = postgresUser() === undefined ? OWNER_ONLY_FOLDER : OTHERS_PASS_FOLDER;
  await mkdir(path, { recursive: true, mode }).catch((cause: unknown) => {
    throw unreadableFolder(path, cause);
  });
  return mode;
}
