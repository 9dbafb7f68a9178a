import { createShop } from '../../../examples/checkout/shop';
import { toPortError } from '../../../src/errors';
import type { PaymentSessions } from '../../../src/sessions';

/** Serves the example of a shop on this machine. Throws `PORT_IN_USE`. */
export async function serveShop(sessions: PaymentSessions, port: number) {
  const shop = createShop({ sessions });
  try {
    const { url } = await shop.listen({ port });
    return { url, close: () => shop.close() };
  } catch (error) {
    await shop.close();
    throw toPortError(error, port, 'Choose another one with --shop-port,');
  }
}
