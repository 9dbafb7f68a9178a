import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PaymentSessions, SessionRequest } from 'paysession';
import { HttpError, readBody } from './body';
import { sendError } from './errors';

/** The order that the shop's page sends. */
interface Checkout {
  readonly orderId: string;
  readonly amount: number;
  readonly payor: SessionRequest['payor'];
}

/** A request, with a `body` if a middleware such as `express.json()` has parsed one. */
type CheckoutRequest = IncomingMessage & { readonly body?: unknown };

/**
 * Opens a payment session and answers with its checkout URL. For `node:http` and express:
 * `app.post('/checkout', checkoutHandler(sessions))`. A page that sends the same order twice gets the same URL twice.
 */
export function checkoutHandler(sessions: PaymentSessions) {
  return async (request: CheckoutRequest, response: ServerResponse): Promise<void> => {
    try {
      if (request.method !== 'POST') throw new HttpError(405, 'Only POST is answered here.');
      const { orderId, ...checkout } = toCheckout(request.body ?? (await readBody(request)));
      const { checkoutUrl, sessionId } = await sessions.open({
        key: orderId,
        request: toRequest(orderId, checkout),
      });
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ orderId, sessionId, checkoutUrl }));
    } catch (error) {
      sendError(response, error);
    }
  };
}

/** Returns the body as an order. `open` validates its fields, and its error lists every failure. */
function toCheckout(body: unknown): Checkout {
  if (typeof body !== 'object' || body === null) throw new HttpError(400, 'The body must be a JSON object.');
  return body as Checkout;
}

function toRequest(orderId: string, { amount, payor }: Omit<Checkout, 'orderId'>): SessionRequest {
  return {
    type: 'EFT',
    direction: 'DEBIT',
    amount,
    referenceId: orderId,
    options: { guarantee: { enable: false } },
    payor,
  };
}
