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

/** A request, with a `body` if a middleware such as `express.json()` has parsed one. */
type CheckoutRequest = IncomingMessage & { readonly body?: unknown };

/**
 * Opens an order's payment session and answers with its checkout URL. For `node:http` and express:
 * `app.post('/checkout', checkoutHandler(sessions, orderOf))`. A page that sends the same order twice gets the same URL twice.
 *
 * @param orderOf returns the shop's own order. The page sends only the id, because a payor could change a price that it sends.
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
