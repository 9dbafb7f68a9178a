import { jest } from '@jest/globals';
import { createPaymentWorld, type PaymentWorld, type PaymentWorldOptions } from '../../../testkit';
import { testBundle } from '../setup/global-values';
import { use } from './use';

/**
 * The testing kit's world for all tests of a file or a `describe`: in virtual time, where hours pass at once. A test that
 * fails is run once more, and its first error is shown: on an overloaded machine the test server may drop a workflow task
 * (temporalio/sdk-java#3088), and the session then hangs.
 */
export function usePaymentWorld(options: PaymentWorldOptions = {}): PaymentWorld {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
  return use(
    () => createPaymentWorld({ bundlePath: testBundle(), ...options }),
    (world) => world.close(),
  );
}
