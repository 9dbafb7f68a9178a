/**
 * Settings of vitest for tests that call `createPaymentWorld`. Spread them into `test` of your configuration. The timeouts are long enough for
 * a first run, which downloads Temporal's test server. The tests of a run share test servers. In watch mode, all runs share them.
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

/** The timeout of a test, in milliseconds. */
export const testTimeout = 120_000;
/** The timeout of a hook such as `beforeAll`, in milliseconds. */
export const hookTimeout = 120_000;
export const globalSetup = [require.resolve('./kept-servers')];
