/**
 * Adds the names of this version to `recorded.json`: `npm run record:names`. With `-- --release` also the histories of this
 * version to `released-histories.json`. What is recorded stays.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sumsOfHistories, type Sums } from './histories';
import { joined, namesOfThisVersion, type Names } from './names';

const read = (name: string): unknown => JSON.parse(readFileSync(join(__dirname, name), 'utf8'));
const write = (name: string, value: unknown): void => {
  writeFileSync(join(__dirname, name), `${JSON.stringify(value, undefined, 2)}\n`);
};

write('recorded.json', joined(read('recorded.json') as Names, namesOfThisVersion()));
if (process.argv.includes('--release')) {
  const released = read('released-histories.json') as Sums;
  write('released-histories.json', { ...sumsOfHistories(), ...released });
}
