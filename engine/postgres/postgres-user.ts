import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemCode } from '../../src/files';
import type { ProcessUser } from '../run/engine-process';

/** The user that owns nothing. */
const NOBODY: ProcessUser = { uid: 65_534, gid: 65_534 };

/** PostgreSQL refuses to run as root: then it runs as `nobody`. @returns nothing where it runs as this process's user */
export const postgresUser = (): ProcessUser | undefined => (process.getuid?.() === 0 ? NOBODY : undefined);

/** Others may pass through a folder, to what they know by name. */
const OTHERS_PASS = 0o001;

/** The nearest folder around one that keeps PostgreSQL's user out; none where that user is this process's. */
export async function closedFolderAround(folder: string): Promise<string | undefined> {
  if (postgresUser() === undefined) return undefined;
  for (let inner = resolve(folder); inner !== dirname(inner); inner = dirname(inner)) {
    const outer = dirname(inner);
    const mode = await modeOf(outer);
    if (mode !== undefined && (mode & OTHERS_PASS) === 0) return outer;
  }
  return undefined;
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
