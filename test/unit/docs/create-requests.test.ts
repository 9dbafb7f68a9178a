import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/docs/snippets';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8').replaceAll(/\s+/g, ' ');

const NUMBERS = ['no', 'one', 'two', 'three', 'four', 'five', 'six'];

test('the runbook says how many create requests the default policy sends', () => {
  const source = read('workflows/create/lost-create.ts');
  const orphans = Number(/const MAX_POSSIBLE_ORPHANS = (\d+);/.exec(source)?.[1]);
  const runbook = read('docs/guides/runbook.md');
  expect(runbook).toContain(`It sends up to ${NUMBERS[orphans + 1]} for a session`);
  expect(runbook).not.toContain('retried only where nothing can have been created');
});
