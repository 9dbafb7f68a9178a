import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { publicDeclarations } from '../../support/docs/public-declarations';
import { ROOT } from '../../support/docs/snippets';

/** Phrases that promise money. They are wrong: `paid` only means that a transaction is scheduled, and a regular EFT can come back. */
const PROMISES = /\b(?:payment|money) (?:is|was|has been)(?: not)? (?:made|received|there)\b/i;

/** Matches a sentence that recommends to deliver because of `paid`. */
const DELIVERS = /\b(?:deliver|ship)[^.]*`paid`|`paid`[^.]*\b(?:deliver|ship)/i;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const guides = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md') && !path.startsWith('api'))
  .map((path) => join('docs', path));
const pages = ['README.md', ...guides].map((page) => ({
  page,
  text: oneLine(readFileSync(join(ROOT, page), 'utf8')),
}));
const pagesWhere = (isWrong: (text: string) => boolean) =>
  pages.filter(({ text }) => isWrong(text)).map(({ page }) => page);

test('no page of the documentation promises that money was received', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(pagesWhere((text) => PROMISES.test(text))).toEqual([]);
});

test('each page that recommends to deliver at `paid` explains what `paid` means, or links to the explanation', () => {
  expect(pagesWhere((text) => DELIVERS.test(text) && !/what-paid-means|can come back/.test(text))).toEqual(
    [],
  );
});

test('no doc comment of the package promises that money was received', () => {
  const wrong = publicDeclarations().filter(({ doc }) => PROMISES.test(oneLine(doc)));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});
