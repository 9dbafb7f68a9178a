import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder of what can be made again, as an absolute path: the one that is set, or one of this package in the user's own cache. It need not exist. */
export function cacheFolderOf({ PAYSESSION_CACHE_DIR, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): string {
  // A variable that is set to nothing counts as unset.
  if (PAYSESSION_CACHE_DIR) return resolve(PAYSESSION_CACHE_DIR);
  return resolve(XDG_CACHE_HOME || join(HOME || homedir(), '.cache'), 'paysession');
}
