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

/** Node has it from 22.1 on. */
const { enableCompileCache } = modules as { readonly enableCompileCache?: (folder: string) => unknown };

/**
 * Keeps the code that Node compiles of this package, so that the next command starts sooner. Files in the folder run as code: a folder that
 * other users could write to is not used.
 */
function keepCompiled(): void {
  if (enableCompileCache === undefined) return;
  const folder = join(cacheFolderOf(process.env), 'compiled');
  try {
    makeFolder(folder, OWNER_ONLY_FOLDER);
    if (isOwnersOnly(folder)) enableCompileCache(folder);
  } catch {
    // A full or read-only disk: the command starts without it.
  }
}

/** True if only this user can use the folder, or if the system has no such rights. */
function isOwnersOnly(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS) === 0);
}

/** Ends the process if the packages of the command line are not installed. */
function needPackages(): void {
  try {
    needOptionalPackages('The command line', ['commander', 'cli-table3', 'picocolors']);
  } catch (error) {
    if (!(error instanceof MissingPackagesError)) throw error;
    endEarly(error, 'error');
  }
}

keepCompiled();
needPackages();
