// Comments and names of tests cite rules of docs/contract.md: `contract A56` in a comment, `A56 …` as a test's name. This script fails if a
// cited rule does not exist.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const rules = new Set(
  Array.from(readFileSync('docs/contract.md', 'utf8').matchAll(/^- (A\d+) /gm), ([, rule]) => rule),
);

/** Matches citations such as `contract A25, A27`, `contract rules A35–A37`, and a test named `A25 …`. */
const CITATION =
  /[Cc]ontract (?:rules? )?(A\d+(?:(?:, |–| and )A\d+)*)|(?:test|it|describe)(?:\.each\(.*\))?\(\s*['`](A\d+(?:, A\d+)*)/g;

const files = execFileSync('git', ['ls-files', '*.ts'], { encoding: 'utf8' }).trim().split('\n');
const missing = files.flatMap((file) => {
  const cited = Array.from(
    readFileSync(file, 'utf8').matchAll(CITATION),
    ([, one, other = '']) => (one ?? other).match(/A\d+/g) ?? [],
  ).flat();
  return cited.filter((rule) => !rules.has(rule)).map((rule) => `${file} cites ${rule}`);
});

if (missing.length > 0) {
  console.error(`docs/contract.md has no such rule:\n  ${missing.join('\n  ')}`);
  process.exitCode = 1;
}
