import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';

const PROJECT = join(__dirname, '..', '..');

const { files: packed } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as {
  readonly files: readonly string[];
};

const pages = [
  'CHANGELOG.md',
  ...readdirSync(join(PROJECT, 'docs')).map((name) => join('docs', name)),
].filter((page) => page.endsWith('.md'));

/** The files of the project that a page links to, or shows. */
function filesLinkedFrom(page: string): readonly string[] {
  const markdown = readFileSync(join(PROJECT, page), 'utf8');
  const links = Array.from(markdown.matchAll(/\]\(([^)#:]+)[)#]/g), ([, link = '']) => link);
  return links.map((link) => normalize(join(dirname(page), link)));
}

test.each(pages)('what %s links to is there, and is in the package as it is', (page) => {
  for (const file of filesLinkedFrom(page)) {
    expect([file, existsSync(join(PROJECT, file)), packed.includes(file.split('/')[0] ?? '')]).toEqual([
      file,
      true,
      true,
    ]);
  }
});
