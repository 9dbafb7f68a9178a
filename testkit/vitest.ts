/**
 * Settings of vitest for tests with worlds. A first run has time to fetch the test server. Test servers are kept for the run, or as long as
 * vitest watches. Spread the settings into `test` of your configuration.
 *
 * @example
 * ```ts
 * import { defineConfig } from 'vitest/config';
 * import paysession from 'paysession/testing/vitest';
 *
 * export default defineConfig({ test: { ...paysession } });
 * ```
 *
 * @module
 */

/** In milliseconds. */
export const testTimeout = 120_000;
/** In milliseconds. */
export const hookTimeout = 120_000;
export const globalSetup = [require.resolve('./kept-servers')];
