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
 * Makes Node keep compiled code in a folder, so that the next command starts sooner. Node runs the files in this folder as code. So the folder is
 * used only if other users have no rights in it.
 */
function keepCompiled(): void {
  if (enableCompileCache === undefined) return;
  const folder = join(cacheFolderOf(process.env), 'compiled');
  try {
    makeFolder(folder, OWNER_ONLY_FOLDER);
    if (isOwnersOnly(folder)) enableCompileCache(folder);
  } catch {
    // The disk is full or read-only. The command then starts without the cache.
  }
}

/** True if only this user has rights in the folder. On Windows, which has no Unix users, this is not checked, and the result is true. */
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
