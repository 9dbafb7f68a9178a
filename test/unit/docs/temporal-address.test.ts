import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PAGES, ROOT, snippetsOf } from '../../support/docs/snippets';

const CONNECTS = /\bConnection\.connect\(/;

/** Returns the programs that connect to a Temporal server, each with its page or file. */
function connecting(): readonly (readonly [place: string, code: string])[] {
  const printed = PAGES.flatMap((page) => snippetsOf(page).map(({ code }) => [page, code] as const));
  const names = readdirSync(join(ROOT, 'examples'), { encoding: 'utf8', recursive: true });
  const examples = names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(join(ROOT, 'examples', name), 'utf8')] as const);
  return [...printed, ...examples].filter(
    ([, code]) => CONNECTS.test(code) || code.includes('NativeConnection'),
  );
}

test('every program of the docs and examples that connects to Temporal reads TEMPORAL_ADDRESS', () => {
  const programs = connecting();
  expect(programs.length).toBeGreaterThan(9);
  expect(programs.filter(([, code]) => !code.includes("process.env['TEMPORAL_ADDRESS']"))).toEqual([]);
});
