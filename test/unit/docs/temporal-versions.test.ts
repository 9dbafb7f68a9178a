import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import manifest from '../../../package.json';
import { commandOf, ROOT } from '../../support/docs/snippets';

test('the README installs the newest supported version of Temporal’s packages, and docs/install.md names the oldest', () => {
  const ranges = Object.entries(manifest.peerDependencies)
    .filter(([name]) => name.startsWith('@temporalio/'))
    .map(([, range]) => range);
  expect(new Set(ranges).size).toBe(1);
  const [, oldest = '', end = ''] = /^>=(1[.]\d+)[.]0 <1[.](\d+)[.]0$/.exec(ranges[0] ?? '') ?? [];
  const install = commandOf('README.md', /^npm install (\.\/)?paysession\S* @/);
  expect(install).toContain(`@temporalio/client@1.${Number(end) - 1} `);
  expect(readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8')).toContain(
    `Version ${oldest} of Temporal's packages works, too.`,
  );
});
