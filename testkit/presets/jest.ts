/**
 * What tests with worlds need of jest: time for a first run, which may fetch the test server, and test servers that are kept for the run,
 * and between the runs of its watch mode. Spread it into your configuration.
 *
 * @example
 * ```js
 * const paysession = require('paysession/testing/jest');
 *
 * module.exports = { ...paysession, transform: { '\\.ts$': '@swc/jest' } };
 * ```
 */
const preset = {
  /** In milliseconds. */
  testTimeout: 120_000,
  globalSetup: require.resolve('./global-setup'),
  globalTeardown: require.resolve('./global-teardown'),
};

export = preset;
