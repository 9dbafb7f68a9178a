import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from '../../../src/files';
import { formsOf } from '../../../test/support/canary/canaries';
import type { Violation } from './evidence';

/** Secret values that no place may contain, by name. */
export type Secrets = Readonly<Record<string, readonly string[]>>;

/** Invariant (d): the data of a place contains no secret, in plain or in encoded form. */
export function checkSecrets(where: string, held: Buffer, secrets: Secrets): Violation[] {
  return Object.entries(secrets).flatMap(([name, values]) =>
    values.some((value) => formsOf(value).some((form) => held.includes(form)))
      ? [{ invariant: 'd' as const, where, what: `holds the ${name}` }]
      : [],
  );
}

/** Checks every file of a folder and its subfolders. */
export function checkFolder(folder: string, secrets: Secrets): Violation[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => checkSecrets(name, contentOf(join(parentPath, name)), secrets));
}

/** Returns a file's content. It is empty if a server has removed the file since its folder was listed. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return Buffer.alloc(0);
  }
}
