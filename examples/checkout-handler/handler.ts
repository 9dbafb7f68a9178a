import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PaymentSessions, SessionRequest } from 'paysession';
import { HttpError, readBody } from './body';
import { sendError } from './errors';

/** An order as the shop stores it. */
export interface Order {
  /** Also the session's key, so that one order has one session. */
  readonly orderId: string;
  /** Dollars. */
  readonly amount: number;
  readonly payor: SessionRequest['payor'];
}

/** A request. It has a `body` if a middleware such as `express.json()` has parsed the body. */
type CheckoutRequest = IncomingMessage & { readonly body?: unknown };

/**
 * Returns an HTTP handler that opens an order's payment session and answers with the session's checkout URL. If a page
 * sends an order twice, it gets the URL of the first session again. The handler works with `node:http` and with
 * express: `app.post('/checkout', checkoutHandler(sessions, orderOf))`.
 *
 * @param orderOf returns the order that the shop has stored under an id. The page sends only the id, so that the payor
 * cannot change the price
 */
export function checkoutHandler(
  sessions: PaymentSessions,
  orderOf: (orderId: string) => Order | undefined | Promise<Order | undefined>,
) {
  return async (request: CheckoutRequest, response: ServerResponse): Promise<void> => {
    try {
      if (request.method !== 'POST') throw new HttpError(405, 'Only POST is answered here.');
      const order = await orderOf(toOrderId(request.body ?? (await readBody(request))));
      if (order === undefined) throw new HttpError(404, 'There is no such order.');
      const { orderId } = order;
      const { checkoutUrl, sessionId } = await sessions.open({ key: orderId, request: toRequest(order) });
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ orderId, sessionId, checkoutUrl }));
    } catch (error) {
      sendError(response, error);
    }
  };
}

function toOrderId(body: unknown): string {
  const { orderId } = (body ?? {}) as { readonly orderId?: unknown };
  if (typeof orderId !== 'string')
    throw new HttpError(400, 'The body must be a JSON object with an orderId.');
  return orderId;
}

function toRequest({ orderId, amount, payor }: Order): SessionRequest {
  return {
    type: 'EFT',
    direction: 'DEBIT',
    amount,
    referenceId: orderId,
    options: { guarantee: { enable: false } },
    payor,
  };
}
