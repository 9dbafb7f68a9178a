const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { availableParallelism } = require('node:os');
const { join } = require('node:path');
const config = require('./jest.config.js');
const { helpersWithHooks, testProjects } = require('./test/support/setup/test-projects.cjs');

/** As many as processors, up to three: each loads all modules once, which takes longer than what it would gain while another waits. */
const SHARES = Math.min(3, availableParallelism());

const {
  projects: [unit],
  ...run
} = config;

const folder = join(__dirname, 'test', '.shares');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const tests = testProjects().unit;
// Loaded within the first test that imports them, their hooks would hold for its tests alone.
const hooks = helpersWithHooks().map((name) => `require('../${name}');\n`);
for (let share = 0; share < SHARES; share += 1) {
  const names = tests.filter((_name, index) => index % SHARES === share);
  const lines = names.map((name) => `describe('${name}', () => void require('../${name}'));\n`);
  writeFileSync(join(folder, `${String(share)}.js`), [...hooks, ...lines].join(''));
}

/**
 * The unit tests in a few shares. Jest loads every module anew for each file of tests, which takes longer than the tests: a share loads
 * a module once for all of its own.
 *
 * @type {import('jest').Config}
 */
module.exports = { ...run, ...unit, testMatch: [`${folder}/*.js`] };
