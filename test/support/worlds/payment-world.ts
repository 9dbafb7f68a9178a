import { beforeAll, beforeEach, expect, jest } from '@jest/globals';
import { createPaymentWorld, type PaymentWorld, type PaymentWorldOptions } from '../../../testkit';
import { testBundle } from '../setup/global-values';
import { standInFor, use } from './use';

/**
 * Starts a payment world of the testing kit, with virtual time, for all tests of a file or a `describe`.
 *
 * If a test fails, its error is printed, and the test runs once more in a new world. The reason: on an overloaded machine, the test
 * server may drop a workflow task (temporalio/sdk-java#3088). Then time stops for all sessions of the world.
 *
 * @param prepare prepares the world for the tests. It runs again for each new world
 */
export function usePaymentWorld(
  options: PaymentWorldOptions = {},
  prepare: () => Promise<void> = () => Promise.resolve(),
): PaymentWorld {
  jest.retryTimes(1, { logErrorsBeforeRetry: true, retryImmediately: true });
  const make = () => createPaymentWorld({ bundlePath: testBundle(), ...options });
  const renewable = use(
    async () => {
      let current = await make();
      return {
        world: () => current,
        renew: async () => {
          await current.close();
          current = await make();
        },
      };
    },
    ({ world }) => world().close(),
  );
  beforeAll(prepare);
  let lastTest: string | undefined;
  beforeEach(async () => {
    const { currentTestName } = expect.getState();
    if (currentTestName === lastTest) {
      await renewable.renew();
      await prepare();
    }
    lastTest = currentTestName;
  });
  return standInFor(() => renewable.world());
}
