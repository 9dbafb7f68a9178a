/**
 * Settings of jest for tests with worlds. A first run has time to fetch the test server. Test servers are kept for the run, and between the
 * runs of jest's watch mode. Spread the settings into your configuration.
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
