/**
 * Settings of jest for tests that call `createPaymentWorld`. Spread them into your configuration. The timeout is long enough for a first run,
 * which downloads Temporal's test server. The tests of a run share test servers. In jest's watch mode, all runs share them.
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

/** The timeout of a test, in milliseconds. */
export const testTimeout = 120_000;
export const globalSetup = require.resolve('./kept-servers');
export const globalTeardown = require.resolve('./global-teardown');
