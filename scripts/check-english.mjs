// Finds words that the house style avoids, and docstrings that begin in a way that it avoids. Checks the comments and messages of the
// product, its pages, and the comments in test/support, chaos and bench.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/**
 * Words to avoid, and what to write for them.
 *
 * @type {readonly (readonly [RegExp, string])[]}
 */
const WORDS = [
  [/\b(tell|tells|told|telling)\b/i, 'report, record, send, show'],
  [/\b(whoever|whomever)\b/i, 'the caller, the worker, an operator'],
  [/\b(nobody|somebody)\b/i, 'name who acts'],
  [/\b(anew|for want of|in vain)\b/i, 'again, without, without success'],
  [/\b(mend|mends|mended)\b/i, 'fix, fixed'],
  [/\bstands? (in|for itself)\b/i, 'is in, is'],
  [/\btakes note of\b/i, 'records'],
  [/\bgives back\b/i, 'returns, releases'],
  [/\bbeside\b/i, 'next to, and'],
  [/\bgoes by\b/i, 'uses'],
  [/\bthe same holds for\b/i, 'this also applies to'],
];
/** A docstring begins with a verb or a noun. */
const OPENING = /^(what|whether|who|whom|whose|how|gives)\b/i;

/** The maximum number of findings of each kind. If there are fewer findings, lower the number. */
const MOST = { words: 0, openings: 0 };

const list = process.argv.includes('--list');
const only = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const files = execFileSync('git', ['ls-files', ...only], { encoding: 'utf8' }).split('\n');
/** @type {Record<'words' | 'openings', string[]>} */
const findings = { words: [], openings: [] };

for (const file of files) {
  if (/\.test\.ts$/.test(file)) continue;
  if (/\.(ts|mjs)$/.test(file) && !file.includes('/texts')) codeOf(file);
  if (/^(README|CONTRIBUTING|ARCHITECTURE|SECURITY|docs\/.*)\.md$/.test(file)) pageOf(file);
}

function codeOf(file) {
  const text = readFileSync(file, 'utf8');
  for (const [comment] of text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)) {
    const said = comment
      .replace(/^\s*\*? ?/gm, '')
      .replace(/^\/\*\*?|\*\/$/g, '')
      .trim();
    wordsIn(file, said);
    if (comment.startsWith('/**') && OPENING.test(said))
      findings.openings.push(`${file}: ${said.split('\n')[0]}`);
  }
  if (/^(test|chaos|bench)\//.test(file)) return;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (
      ts.isStringLiteral(node) ||
      ts.isNoSubstitutionTemplateLiteral(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    )
      if (node.text.includes(' ')) wordsIn(file, node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

function pageOf(file) {
  const text = readFileSync(file, 'utf8')
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/`[^`]*`/g, '');
  for (const line of text.split('\n')) wordsIn(file, line);
}

function wordsIn(file, said) {
  for (const line of said.split('\n'))
    for (const [word, instead] of WORDS)
      if (word.test(line)) findings.words.push(`${file}: ${line.trim().slice(0, 140)} → ${instead}`);
}

for (const kind of /** @type {const} */ (['words', 'openings'])) {
  const found = findings[kind];
  if (list) for (const line of found) console.log(line);
  console.log(`${kind}: ${found.length}, at most ${MOST[kind]}`);
  if (found.length > MOST[kind]) process.exitCode = 1;
}
