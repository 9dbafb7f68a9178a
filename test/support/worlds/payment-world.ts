import { createPaymentWorld, type PaymentWorld, type PaymentWorldOptions } from '../../../testkit';
import { testBundle } from '../setup/global-values';
import { use } from './use';

/** The testing kit's world for all tests of a file or a `describe`: in virtual time, where hours pass at once. */
export function usePaymentWorld(options: PaymentWorldOptions = {}): PaymentWorld {
  return use(
    () => createPaymentWorld({ bundlePath: testBundle(), ...options }),
    (world) => world.close(),
  );
}
