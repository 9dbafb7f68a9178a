import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from '@jest/globals';

/** Jest's `describe`, which skips its tests on Windows, where files have no rights as in `chmod`. */
export const describeRights = process.platform === 'win32' ? describe.skip : describe;

/** Returns the rights of a file or folder, as in `chmod`. */
export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Returns the rights of each file and folder in a folder, by name. */
export function modesIn(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(folder).map((file) => [file, modeOf(join(folder, file))]));
}
