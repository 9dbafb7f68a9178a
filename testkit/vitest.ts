/**
 * What tests with worlds need of vitest: time for a first run, which may fetch the test server, and test servers that are kept for the
 * run, or for as long as it watches. Spread it into `test` of your configuration.
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
