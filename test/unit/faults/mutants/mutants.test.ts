import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { MUTANTS } from '../../../../chaos/faults/mutants/mutants';

const ROOT = join(__dirname, '..', '..', '..', '..');

test.each(MUTANTS)('the code that the mutant “$name” replaces exists exactly once', ({ patches }) => {
  for (const { file, from } of patches) {
    expect(readFileSync(join(ROOT, file), 'utf8').split(from)).toHaveLength(2);
  }
});
