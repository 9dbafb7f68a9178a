import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidRequestError, isPaysessionError, SessionFailedError } from 'paysession';
import type { ShopContext } from './context';
import { ShopError } from './errors';
import { readerOf } from './language';
import { EXAMPLE_BUYER, problemsOf, readOrderForm, toSession, type Order } from './orders/form';
import { newOrderId, productOf } from './orders/id';
import { buyPage } from './pages/buy-page';
import type { Product } from './products';
import { sendPage } from './security';
import { TEXTS } from './texts';

/**
 * Adds the routes of the order form. If a buyer sends the form, the shop opens a payment session, and redirects to the
 * order's page.
 */
export function buyRoutes(app: FastifyInstance, { sessions, products, policy }: ShopContext): void {
  const productFor = (request: FastifyRequest): Product => {
    const { id } = request.params as { readonly id: string };
    const product = products.find((each) => each.id === id);
    if (product === undefined) throw new ShopError(404, TEXTS.errors.notSold);
    return product;
  };

  app.get('/buy/:id', (request, reply) => {
    const product = productFor(request);
    const orderId = newOrderId(product);
    return sendPage(reply, buyPage({ reader: readerOf(request), product, orderId, form: EXAMPLE_BUYER }));
  });

  app.post('/buy/:id', async (request, reply) => {
    const product = productFor(request);
    if (!(request.body instanceof URLSearchParams)) throw new ShopError(415, TEXTS.errors.noForm);
    const reader = readerOf(request);
    const { language } = reader;
    const form = readOrderForm(request.body);
    const sent = request.body.get('orderId') ?? '';
    const orderId = productOf(sent, products) === product ? sent : newOrderId(product);
    const orderUrl = `${originOf(request)}/orders/${orderId}`;
    try {
      await open({ orderId, product, form, language, orderUrl, policy });
    } catch (error) {
      if (error instanceof InvalidRequestError) {
        const problems = problemsOf(error.failures, language);
        return sendPage(reply.code(422), buyPage({ reader, product, orderId, form, problems }));
      }
      if (!isPaysessionError(error, 'SESSION_CONFLICT')) throw error;
      const again = { reader, product, orderId: newOrderId(product), form, existing: orderId };
      return sendPage(reply.code(409), buyPage(again));
    }
    return reply.redirect(`/orders/${orderId}`, 303);
  });

  /**
   * Starts an order's session. Does not throw if the session is still opening, or has failed to open: the order's page
   * shows this.
   */
  async function open(order: Order): Promise<void> {
    try {
      await sessions.open(toSession(order));
    } catch (error) {
      const isStarted =
        error instanceof SessionFailedError || isPaysessionError(error, 'SESSION_STILL_OPENING');
      if (!isStarted) throw error;
    }
  }
}

/** Returns the shop's address in the buyer's browser. A shop behind a proxy needs a setting for this. */
function originOf({ host, protocol }: FastifyRequest): string {
  if (!URL.canParse(`${protocol}://${host}`)) throw new ShopError(400, TEXTS.errors.noHost);
  return new URL(`${protocol}://${host}`).origin;
}
