const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');

/** What a test needs the set-up for, or more: Temporal's server, a worker, a process, a browser, the built package. */
const NEEDS_MORE =
  /^@temporalio\/(worker|testing)|^playwright|^paysession|engine\/postgres\/|child_process$|worker_threads$|setup\/(global-values|bundled)\.ts$|(cli|engine\/support\/child)\/support\.ts$/;
const NOT_OF_NPM_TEST = /^(browser|cluster|package|tools)\/|\.(crowd|timing|waiting)\.test\.ts$/;

const HOOK = /^(?:after|before)(?:Each|All)\(/m;

const TESTS = join(__dirname, '..', '..');

/**
 * The test files by their project, relative to `test`. A test is of `world`, with the global set-up, if it imports one of the
 * above, itself or by what it imports, or if its name says that it takes a machine to itself; all others are of `unit`.
 *
 * @returns {{ readonly unit: readonly string[], readonly world: readonly string[] }}
 */
function testProjects() {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  );
  const world = files.filter((name) => NOT_OF_NPM_TEST.test(name) || needsMore(join(TESTS, name)));
  return { unit: files.filter((name) => !world.includes(name)), world };
}

/**
 * What unit tests import that sets up hooks when it is loaded, relative to `test`.
 *
 * @returns {readonly string[]}
 */
function helpersWithHooks() {
  const loaded = new Set(testProjects().unit.map((name) => join(TESTS, name)));
  const hooked = [];
  // A set hands out what is added to it on the way.
  for (const file of loaded) {
    const path = relative(TESTS, file);
    if (path.startsWith('..')) continue;
    for (const name of importsOf(file)) if (existsSync(name)) loaded.add(name);
    if (!path.endsWith('.test.ts') && HOOK.test(readFileSync(file, 'utf8'))) hooked.push(path);
  }
  return hooked;
}

/** @param {string} file @param {Map<string, boolean>} known what is already known @returns {boolean} */
function needsMore(file, known = new Map()) {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  const needs = importsOf(file).some(
    (name) => NEEDS_MORE.test(name) || (existsSync(name) && needsMore(name, known)),
  );
  known.set(file, needs);
  return needs;
}

const IMPORTS =
  /^(?:import|export) (?!type )[^;]*?from '([^']+)'|^import '([^']+)'|(?:import|require|requireActual(?:<[^>]*>)?)\(\s*'([^']+)'/gm;

/** @type {Map<string, readonly string[]>} What has been read: nearly all tests lead to the same helpers and sources. */
const importsRead = new Map();

/** Files and packages that a file imports; types cost nothing. @param {string} file */
function importsOf(file) {
  const imports = importsRead.get(file) ?? readImports(file);
  importsRead.set(file, imports);
  return imports;
}

/** @param {string} file */
function readImports(file) {
  return [...readFileSync(file, 'utf8').matchAll(IMPORTS)].map(([, from, bare, called]) => {
    const name = from ?? bare ?? called ?? '';
    if (!name.startsWith('.')) return name;
    const path = join(dirname(file), name.replace(/\.js$/, ''));
    return existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts');
  });
}

module.exports = { testProjects, helpersWithHooks, needsMore };
