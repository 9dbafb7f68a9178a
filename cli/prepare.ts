import { lstatSync } from 'node:fs';
import * as modules from 'node:module';
import { join } from 'node:path';
import {
  cacheFolderOf,
  makeFolder,
  MissingPackagesError,
  needOptionalPackages,
  OTHERS,
  OWNER_ONLY_FOLDER,
} from '../src/files';
import { endEarly } from './shared/early-error';

/** Node has this function from 22.1 on. */
const { enableCompileCache } = modules as { readonly enableCompileCache?: (folder: string) => unknown };

/**
 * Keeps compiled code for the next command, which then starts sooner. Files in the folder run as code, so a folder to which other users
 * have any right is not used.
 */
function keepCompiled(): void {
  if (enableCompileCache === undefined) return;
  const folder = join(cacheFolderOf(process.env), 'compiled');
  try {
    makeFolder(folder, OWNER_ONLY_FOLDER);
    if (isOwnersOnly(folder)) enableCompileCache(folder);
  } catch {
    // A full or read-only disk: the command starts without the compiled code.
  }
}

/** True if only this user can use the folder. Also true on a system without Unix users, such as Windows, where this is not checked. */
function isOwnersOnly(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS) === 0);
}

/** Ends the process if the packages of the command line are not installed. */
function needPackages(): void {
  try {
    needOptionalPackages('The command line', ['commander', 'cli-table3', 'picocolors', 'ora']);
  } catch (error) {
    if (!(error instanceof MissingPackagesError)) throw error;
    endEarly(error, 'error');
  }
}

keepCompiled();
needPackages();
