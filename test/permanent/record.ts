/**
 * `npm run record:names` runs this program. It adds the names of this version to `recorded.json`. With `-- --release`, it also adds the
 * SHA-256 sums of the recorded histories to `released-histories.json`. Names and sums that are already recorded stay.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sumsOfHistories, type Sums } from './histories';
import { joined, namesOfThisVersion, type Names } from './names';
import { formatFile } from '../support/format-file';

const NAMES = join(__dirname, 'recorded.json');
const HISTORIES = join(__dirname, 'released-histories.json');

async function record(): Promise<void> {
  await write(NAMES, joined((await read(NAMES)) as Names, namesOfThisVersion()));
  if (!process.argv.includes('--release')) return;
  await write(HISTORIES, { ...sumsOfHistories(), ...((await read(HISTORIES)) as Sums) });
}

async function read(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8')) as unknown;
}

async function write(file: string, value: unknown): Promise<void> {
  await writeFile(file, JSON.stringify(value));
  formatFile(file);
}

record().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
