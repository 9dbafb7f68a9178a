import { createShop } from '../../../examples/checkout/shop';
import { PaysessionError } from '../../../src/errors';
import type { PaymentSessions } from '../../../src/sessions';

/** Serves the example of a shop on this machine. Throws `PORT_IN_USE`. */
export async function serveShop(sessions: PaymentSessions, port: number) {
  const shop = createShop({ sessions });
  try {
    const { url } = await shop.listen({ port });
    return { url, close: () => shop.close() };
  } catch (error) {
    await shop.close();
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    const message = `Port ${port} is in use by another program. Choose another one with --shop-port, or stop that program.`;
    throw new PaysessionError('PORT_IN_USE', message, { cause: error });
  }
}
