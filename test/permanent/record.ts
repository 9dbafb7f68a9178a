/**
 * Adds the names of this version to `recorded.json`: `npm run record:names`. With `-- --release`, also adds the
 * sums of its histories to `released-histories.json`. Earlier records stay.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { sumsOfHistories, type Sums } from './histories';
import { joined, namesOfThisVersion, type Names } from './names';

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
  const text = await format(JSON.stringify(value), { ...(await resolveConfig(file)), parser: 'json' });
  await writeFile(file, text);
}

record().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
