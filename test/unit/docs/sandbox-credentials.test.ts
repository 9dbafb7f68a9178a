import { expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

const ROOT = join(__dirname, '../../..');

const CODE = ['activities', 'bench', 'cli', 'console', 'examples', 'sandbox', 'src', 'test', 'testkit']
  .concat(['worker', 'workflows', 'scripts'])
  .flatMap((folder) => filesIn(folder, /\.(ts|mjs|cjs)$/));

const TEXTS = ['README.md', 'docker-compose.yml', ...filesIn('docs', /\.md$/)];

function filesIn(folder: string, pattern: RegExp): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path) && !path.includes('node_modules'))
    .map((path) => join(folder, path));
}

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

test('only one source file contains the credentials of the sandbox’s default client', () => {
  const { clientId, clientSecret } = DEFAULT_CLIENT;
  const containing = CODE.filter((path) =>
    [clientId, clientSecret].some((value) => read(path).includes(value)),
  );
  expect(containing).toEqual(['sandbox/default-client.ts']);
});

test('the docs and the Compose file contain the actual credentials of the sandbox’s default client', () => {
  const named = TEXTS.flatMap((path) => read(path).match(/\bsandbox-(client|secret)\b/g) ?? []);
  expect([...new Set(named)].sort()).toEqual([DEFAULT_CLIENT.clientId, DEFAULT_CLIENT.clientSecret].sort());
});
