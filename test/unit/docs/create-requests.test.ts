import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/docs/snippets';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8').replaceAll(/\s+/g, ' ');

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

test('the runbook has the number of create requests that the default policy sends at most', () => {
  const source = read('workflows/create/lost-create.ts');
  const orphans = Number(/const MAX_POSSIBLE_ORPHANS = (\d+);/.exec(source)?.[1]);
  const runbook = read('docs/guides/runbook.md');
  expect(runbook).toContain(`the session sends another create request, up to ${NUMBERS[orphans + 1]} in all`);
  expect(runbook).not.toContain('retried only where nothing can have been created');
});
