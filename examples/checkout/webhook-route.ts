import type { FastifyInstance } from 'fastify';
import type { WebhookEvent, WebhookPing } from 'paysession/ledger';
import { Webhook } from 'standardwebhooks';
import type { ShopContext } from './context';
import { productOf } from './orders/id';
import type { OrderMoney } from './orders/money';

/** Options of the shop's webhooks. */
export interface ShopWebhooks {
  /** The endpoint's secret: `whsec_` and base64, as `paysession webhooks new-secret` prints it. */
  readonly secret: string;
  /** Receives one line for each returned payment. */
  readonly notifyMerchant: (line: string) => void;
}

const MAX_WEBHOOK_BYTES = 256 * 1024;

/**
 * Adds the route `POST /webhooks`. It verifies each message, ignores repeated messages, updates the order, and reports
 * a returned payment to the merchant. If the route refuses a message, the sender sends it again.
 */
export function webhookRoute(
  app: FastifyInstance,
  { secret, notifyMerchant }: ShopWebhooks,
  { products, events, money }: ShopContext & { readonly money: OrderMoney },
): void {
  const webhook = new Webhook(secret);
  // Keeps the body as text, because the signature covers the exact text. No other route reads JSON.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });

  app.post('/webhooks', { bodyLimit: MAX_WEBHOOK_BYTES }, (request, reply) => {
    let event: WebhookEvent | WebhookPing;
    try {
      event = webhook.verify(String(request.body), request.headers as Record<string, string>) as typeof event;
    } catch {
      return reply.code(401).send();
    }
    if (event.type !== 'test.ping') applyEvent(String(request.headers['webhook-id']), event);
    return reply.code(204).send();
  });

  function applyEvent(messageId: string, { type, data }: WebhookEvent): void {
    const { key: orderId, payment } = data;
    const isOurs = productOf(orderId, products) !== undefined;
    if (!isOurs || !money.record(messageId, orderId, type)) return;
    if (type === 'payment.returned')
      notifyMerchant(
        `${orderId}: the payment came back (${payment?.returnCode ?? 'no code'}). Do not deliver.`,
      );
    events.changed(orderId);
  }
}
