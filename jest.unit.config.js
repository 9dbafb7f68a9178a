const { unitTests } = require('./test/support/setup/unit-tests.cjs');

/**
 * The tests that need no Temporal server and no bundle, by what they import.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...require('./jest.config.js'),
  testMatch: unitTests(),
  globalSetup: null,
  globalTeardown: null,
};
