import { lstatSync, mkdirSync } from 'node:fs';
import * as modules from 'node:module';
import { join } from 'node:path';
import { cacheFolderOf, OTHERS, OWNER_ONLY_FOLDER } from '../src/files';

/** From Node 22.1 on. */
const { enableCompileCache } = modules as { readonly enableCompileCache?: (folder: string) => unknown };

/**
 * Keeps what Node compiles of this package, so that the next command starts sooner. What is in the folder runs as code: one that others
 * could write to is not used.
 */
function keepCompiled(): void {
  if (enableCompileCache === undefined) return;
  const folder = join(cacheFolderOf(process.env), 'compiled');
  try {
    mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER });
    if (isOwnersOnly(folder)) enableCompileCache(folder);
  } catch {
    // A full or read-only disk: the command starts as it would without.
  }
}

/** Also where the system has no such rights. */
function isOwnersOnly(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS) === 0);
}

keepCompiled();
