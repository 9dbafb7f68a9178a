const {
  projects: [, world],
} = require('./jest.config.js');

/**
 * Sessions on a real Temporal cluster. Each test file starts a cluster of its own, so they run one after the other.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...world,
  displayName: 'cluster',
  globalSetup: '<rootDir>/test/cluster/support/global-setup.ts',
  testMatch: ['**/test/cluster/**/*.test.ts'],
  testTimeout: 180_000,
  maxWorkers: 1,
};
