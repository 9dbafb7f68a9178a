import { statSync } from 'node:fs';
import { readVariable, type Environment } from '../parse-settings';
import { SETTINGS } from '../settings-table';
import type { Setting } from '../table/setting';

/** What other users may do with a file. */
const OTHERS_READ = 0o004;

/**
 * The settings whose file of secrets every user of the machine can read. They are no failure: Docker and Kubernetes mount
 * secrets so, in containers that have no other users.
 */
export function exposedSecretFiles(env: Environment): readonly string[] {
  const rows: readonly Setting[] = SETTINGS;
  return rows.flatMap(({ name, isSecretFile }) => {
    const path = isSecretFile === true ? readVariable(env, name) : undefined;
    return path !== undefined && isExposed(path) ? [name] : [];
  });
}

/** What to do about such a file. */
export const HIDE_SECRET_FILE =
  'Remove read access for other users (chmod o-rwx), or mount it with mode 0440.';

/** The warning of a process that reads such a file. */
export const exposedFileWarning = (setting: string): string =>
  `every user of this machine can read the file of ${setting}, which holds secrets. ${HIDE_SECRET_FILE}`;

function isExposed(path: string): boolean {
  // Windows has no such rights, and Node makes some up.
  if (process.platform === 'win32') return false;
  try {
    return (statSync(path).mode & OTHERS_READ) !== 0;
  } catch {
    return false;
  }
}
