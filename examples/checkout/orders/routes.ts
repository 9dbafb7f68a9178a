import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isPaysessionError } from 'paysession';
import type { ShopContext } from '../context';
import { ShopError } from '../errors';
import { readerOf } from '../language';
import { productOf } from './id';
import { orderPage } from '../pages/order-page';
import type { Product } from '../products';
import { sendPage } from '../security';
import { TEXTS } from '../texts';

/** Adds the routes of an order: its page, its stream of events, and its actions (refresh and cancel). */
export function orderRoutes(app: FastifyInstance, { sessions, products, events }: ShopContext): void {
  /**
   * Returns the order that a request names. Accepts only ids of this shop, because the Temporal server may have other
   * sessions, too.
   */
  const orderOf = (request: FastifyRequest): { readonly orderId: string; readonly product: Product } => {
    const { orderId } = request.params as { readonly orderId: string };
    const product = productOf(orderId, products);
    if (product === undefined) throw new ShopError(404, TEXTS.errors.noOrder);
    return { orderId, product };
  };

  /**
   * Throws if the order is unknown. Ignores other errors of paysession, because the stream of events reports them and
   * continues.
   */
  const refuseUnknown = async (orderId: string): Promise<void> => {
    try {
      await events.read(orderId);
    } catch (error) {
      if (!isPaysessionError(error) || error.code === 'SESSION_NOT_FOUND') throw error;
    }
  };

  app.get('/orders/:orderId', async (request, reply) => {
    const { orderId, product } = orderOf(request);
    const { checkoutUrl } = (await events.read(orderId)).state;
    const nonce = randomBytes(16).toString('base64');
    const returned = 'returned' in (request.query as object);
    const page = { reader: readerOf(request), orderId, product, returned, nonce, checkoutUrl };
    return sendPage(reply, orderPage(page), {
      nonce,
      frames: checkoutUrl && new URL(checkoutUrl).origin,
    });
  });

  app.get('/orders/:orderId/events', async (request, reply) => {
    const { orderId } = orderOf(request);
    await refuseUnknown(orderId);
    if (events.full) throw new ShopError(503, TEXTS.errors.crowded);
    return reply.type('text/event-stream').send(events.follow(orderId, readerOf(request).language));
  });

  /** Makes a worker poll the session at once. The page calls this when the payor has completed or left the flow. */
  app.post('/orders/:orderId/refresh', async (request, reply) => {
    const { orderId } = orderOf(request);
    const { status, code } = await sessions.get(orderId).refresh();
    events.changed(orderId);
    return reply.send({ status, code });
  });

  app.post('/orders/:orderId/cancel', async (request, reply) => {
    const { orderId } = orderOf(request);
    try {
      const { outcome } = await sessions.get(orderId).cancelAndWait({ timeoutMs: 10_000 });
      return await reply.send({ outcome });
    } finally {
      events.changed(orderId);
    }
  });
}
