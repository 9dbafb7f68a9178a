// Fails on a citation of a rule that docs/contract.md does not have: `contract A56` in a comment, or `A56 …` as a
// test's name.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const FOLDERS = [
  'src',
  'workflows',
  'activities',
  'worker',
  'sandbox',
  'console',
  'testkit',
  'cli',
  'bench',
  'examples',
  'test',
];

const rules = new Set(
  Array.from(
    readFileSync(join(root, 'docs/contract.md'), 'utf8').matchAll(/^- (A\d+) /gm),
    ([, rule]) => rule,
  ),
);

/** `contract A25, A27` and `contract A35–A37` cite each of their rules, and so does a test named `A25 …`. */
const CITATION =
  /[Cc]ontract (A\d+(?:(?:, |–| and )A\d+)*)|(?:test|it|describe)(?:\.each\(.*\))?\(\s*['`](A\d+(?:, A\d+)*)/g;

const missing = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/(^|\/)(dist|node_modules)\//.test(name))
    .flatMap((name) => {
      const code = readFileSync(join(root, folder, name), 'utf8');
      const cited = Array.from(
        code.matchAll(CITATION),
        ([, one, other = '']) => (one ?? other).match(/A\d+/g) ?? [],
      ).flat();
      return cited.filter((rule) => !rules.has(rule)).map((rule) => `${folder}/${name} cites ${rule}`);
    }),
);

if (missing.length > 0) {
  console.error(`docs/contract.md has no such rule:\n  ${missing.join('\n  ')}`);
  process.exitCode = 1;
}
