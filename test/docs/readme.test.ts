import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { commandsOf, ROOT } from './snippets';

test('the README can be read in one sitting: it has at most 200 lines', () => {
  const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n');
  expect(lines.length).toBeLessThanOrEqual(200);
});

test('the README prints the two commands of a fresh clone', () => {
  expect(commandsOf('README.md')).toEqual(
    expect.arrayContaining(['npm ci && npm test', 'npm ci && npm run demo']),
  );
});
