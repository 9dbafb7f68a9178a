import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../../support/docs/snippets';

/** Pages with a table that names, for each statement, the test or file that proves it. */
const PAGES = ['docs/vendor-review.md', 'docs/security.md'];

/** Returns the paths of the repository's files and folders that a page names in code. */
const pathsIn = (page: string): readonly string[] =>
  Array.from(
    readFileSync(join(ROOT, page), 'utf8').matchAll(
      /`((?:[\w.-]+\/)+[\w.-]+|package\.json|LICENSE|[A-Z]+\.md)`/g,
    ),
    ([, path = '']) => path,
  );

test.each(PAGES)('all tests and files that %s names exist', (page) => {
  const paths = pathsIn(page);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

describe('the vendor review has an answer, and names a test or file that proves it, for the question', () => {
  const rows = readFileSync(join(ROOT, 'docs/vendor-review.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| .*\?/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

  test.each(rows)('%s', (question, answer, keeper) => {
    expect(answer).not.toBe('');
    // This answer is about data that others store, so no file of the repository can prove it.
    if (question !== 'What is not erased?') expect(keeper).toMatch(/`.+`/);
  });
});
