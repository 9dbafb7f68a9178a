/** The recorded histories of released versions, which must not change. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** SHA-256 sums by file. */
export type Sums = Readonly<Record<string, string>>;

const FOLDER = join(__dirname, '..', 'replay', 'histories');

/** Returns the sums of the histories in this folder's present files. */
export function sumsOfHistories(): Sums {
  const names = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return Object.fromEntries(names.map((name) => [name, sumOf(readFileSync(join(FOLDER, name)))]));
}

/** Returns the names of the released histories that are missing or changed. */
export function brokenHistories(released: Sums, now: Sums): readonly string[] {
  return Object.entries(released)
    .filter(([name, sum]) => now[name] !== sum)
    .map(([name]) => name);
}

const sumOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
