const SWC = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } };

/**
 * Makes the project of the tests in a folder of `test`.
 *
 * @param {string} folder
 * @param {import('jest').Config} more
 */
const project = (folder, more) => ({
  displayName: folder,
  roots: [`<rootDir>/test/${folder}`],
  testEnvironment: '<rootDir>/test/support/jest/process-environment.cjs',
  runtime: '<rootDir>/test/support/jest/sharing-runtime.cjs',
  transform: { '^.+\\.ts$': ['@swc/jest', SWC] },
  ...more,
});

const WITH_SERVERS = {
  setupFiles: ['<rootDir>/test/support/setup/lend-threads.ts'],
  globalSetup: '<rootDir>/test/support/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/setup/global-teardown.ts',
};

/**
 * A project for each folder of tests. Jest starts the servers for those that have tests to run; CONTRIBUTING.md says what is where.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  projects: [
    ...['unit', 'sandbox'].map((folder) =>
      project(folder, { setupFiles: ['<rootDir>/test/support/setup/without-server.ts'] }),
    ),
    ...['world', 'slow', 'long', 'timing', 'browser', 'package', 'tools'].map((folder) =>
      project(folder, WITH_SERVERS),
    ),
    project('compose', { globalSetup: '<rootDir>/test/compose/support/global-setup.ts' }),
    project('cluster', {
      roots: ['<rootDir>/chaos/cluster'],
      globalSetup: '<rootDir>/chaos/cluster/support/global-setup.ts',
    }),
  ],
  testSequencer: '<rootDir>/test/support/jest/waiting-early.cjs',
  // Ten times what the slowest test takes where nothing else runs: the machine may be slow, and busy.
  testTimeout: 300_000,
  maxWorkers: 4,
};
