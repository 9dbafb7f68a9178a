import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formsOf } from '../../../test/support/canary/canaries';
import type { Violation } from './evidence';

/** What must not be found, by its name. */
export type Secrets = Readonly<Record<string, readonly string[]>>;

/** (d) No secret, in no form, in what a place holds. */
export function checkSecrets(where: string, held: Buffer, secrets: Secrets): Violation[] {
  return Object.entries(secrets).flatMap(([name, values]) =>
    values.some((value) => formsOf(value).some((form) => held.includes(form)))
      ? [{ invariant: 'd' as const, where, what: `holds the ${name}` }]
      : [],
  );
}

/** The same for every file of a folder, and of those in it. */
export function checkFolder(folder: string, secrets: Secrets): Violation[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => checkSecrets(name, readFileSync(join(parentPath, name)), secrets));
}
