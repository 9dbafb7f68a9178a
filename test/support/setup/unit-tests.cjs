const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { dirname, join, relative } = require('node:path');

/** What a test needs the set-up for, or a machine to itself: Temporal's server, a worker, a process, a browser. */
const NEEDS_MORE =
  /^@temporalio\/(worker|testing)|^playwright|child_process$|worker_threads$|setup\/(global-values|bundled)\.ts$|(cli|engine\/support\/child)\/support\.ts$/;
const NOT_OF_NPM_TEST = /^(browser|cluster|package|tools)\/|\.(crowd|timing|waiting)\.test\.ts$/;

const TESTS = join(module.path, '..', '..');

/** The paths of the tests that need no set-up, by what they import. */
function unitTests() {
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !NOT_OF_NPM_TEST.test(name))
    .map((name) => join(TESTS, name))
    .filter((file) => !needsMore(file, new Map()))
    .map((file) => `<rootDir>/test/${relative(TESTS, file)}`);
}

/** @param {string} file @param {Map<string, boolean>} known */
function needsMore(file, known) {
  const before = known.get(file);
  if (before !== undefined) return before;
  known.set(file, false);
  const needs = importsOf(file).some((name) => {
    if (NEEDS_MORE.test(name)) return true;
    return existsSync(name) && needsMore(name, known);
  });
  known.set(file, needs);
  return needs;
}

/** Files and packages that a file imports; types cost nothing. @param {string} file */
function importsOf(file) {
  const source = readFileSync(file, 'utf8');
  const specifiers = [
    ...source.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'|(?:import|require)\('([^']+)'\)/gm),
  ];
  return specifiers.map(([, named, called]) => {
    const name = named ?? called ?? '';
    if (!name.startsWith('.')) return name;
    const path = join(dirname(file), name.replace(/\.js$/, ''));
    return existsSync(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts');
  });
}

module.exports = { unitTests };
