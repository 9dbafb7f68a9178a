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
 *
 * @module
 */

/** In milliseconds. */
export const testTimeout = 120_000;
export const globalSetup = require.resolve('./kept-servers');
export const globalTeardown = require.resolve('./global-teardown');
