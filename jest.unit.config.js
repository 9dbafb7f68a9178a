const { mkdirSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const config = require('./jest.config.js');
const { helpersWithHooks, testProjects } = require('./test/support/setup/test-projects.cjs');

/** As many as run at once, more than processors: one that waits holds up no other. */
const SHARES = 3;

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
 * The unit tests in three shares. Jest loads every module anew for each file of tests, which takes longer than the tests: a share loads
 * a module once for all of its own.
 *
 * @type {import('jest').Config}
 */
module.exports = { ...run, ...unit, testMatch: [`${folder}/*.js`] };
