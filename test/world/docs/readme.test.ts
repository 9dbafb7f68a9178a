import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { intervalMs, cadenceOf } from '../../../src/protocol/cadence';
import { eft } from '../../support/requests';
import { commandsOf, ROOT } from '../../support/docs/snippets';
import { resolvePolicy } from '../../../src/protocol/policy';

test('the README has at most 150 lines', () => {
  const lines = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n');
  expect(lines.length).toBeLessThanOrEqual(150);
});

test('the README states the first poll intervals of the default policy', () => {
  const policy = resolvePolicy({}, eft());
  const firstMs = (code: string) =>
    intervalMs(
      cadenceOf({ kind: 'EFT', status: code === 'EFT0302' ? 'Completed' : 'Initiated', code }, policy),
      0,
    );
  expect([firstMs('EFT0101'), firstMs('EFT0302')]).toEqual([3_000, 30_000]);
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(
    'at first every three seconds, or every thirty for a signature',
  );
});

test('the README contains the two commands for a fresh clone', () => {
  expect(commandsOf('README.md')).toEqual(
    expect.arrayContaining(['npm ci && npm test', 'npm ci && npm run demo']),
  );
});

test('the README’s first command installs the tarball as long as the version is not published', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const isPublished = !readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').includes(
    `## [${version}] - unreleased`,
  );
  const [install] = commandsOf('README.md');
  expect(install).toMatch(
    isPublished ? /^npm install paysession @/ : /^npm install \.\/paysession-\d\S*\.tgz @/,
  );
});
