import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';

/** Like Jest’s `describe`, but skips the tests on Windows: files there have no modes as for `chmod`. */
export const describeRights = process.platform === 'win32' ? describe.skip : describe;

/** Returns the mode of a file or folder, such as `600`. */
export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Returns the modes of the files and folders in a folder, by name. */
export function modesIn(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(folder).map((file) => [file, modeOf(join(folder, file))]));
}
