/**
 * Sessions on a real Temporal cluster. Each test file starts a cluster of its own, so they run one after the other.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...require('./jest.config.js'),
  globalSetup: '<rootDir>/test/cluster/support/global-setup.ts',
  testMatch: ['**/test/cluster/**/*.test.ts'],
  testTimeout: 180_000,
  maxWorkers: 1,
};
