import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';
import { PAGES, ROOT } from '../../support/docs/snippets';

const { files: packed } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly files: readonly string[];
};

const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** Returns the link targets and picture files of a page. */
function linksOf(page: string): readonly { readonly file: string; readonly heading: string | undefined }[] {
  const links = read(page).matchAll(/\]\(([^):#]*)(?:#([^)]*))?\)/g);
  return Array.from(links, ([, path = '', heading]) => ({
    file: path === '' ? page : normalize(join(dirname(page), path)),
    heading,
  }));
}

/** Returns the anchors of a page's headings. */
function headingsOf(page: string): readonly string[] {
  const headings = read(page).matchAll(/^#+ (.*)$/gm);
  return Array.from(headings, ([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(['CHANGELOG.md', ...PAGES])('all links of %s lead to files in the package', (page) => {
  for (const { file } of linksOf(page)) {
    const isPacked = packed.includes(file.split('/')[0] ?? '');
    expect([file, existsSync(join(ROOT, file)), isPacked]).toEqual([file, true, true]);
  }
});

test.each(PAGES)('all headings to which %s links exist', (page) => {
  for (const { file, heading } of linksOf(page)) {
    if (heading !== undefined)
      expect([file, headingsOf(file)]).toEqual([file, expect.arrayContaining([heading])]);
  }
});
