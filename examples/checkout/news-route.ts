import type { FastifyInstance } from 'fastify';
import type { News } from 'paysession/ledger';
import { Webhook } from 'standardwebhooks';
import type { ShopContext } from './context';
import { productOf } from './orders/id';
import type { OrderMoney } from './orders/money';

/** How the shop takes news. */
export interface ShopNews {
  /** The endpoint's: `whsec_` and base64, as from `paysession news new-secret`. */
  readonly secret: string;
  /** Tells the merchant what needs somebody, in a line. */
  readonly tellMerchant: (line: string) => void;
}

const MAX_NEWS_BYTES = 256 * 1024;

/** Answers `POST /news`: verifies each message, takes none twice, and acts. What it refuses comes again. */
export function newsRoute(
  app: FastifyInstance,
  { secret, tellMerchant }: ShopNews,
  { products, events, money }: ShopContext & { readonly money: OrderMoney },
): void {
  const webhook = new Webhook(secret);
  // What is signed is the text, and the shop reads JSON nowhere else.
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });

  app.post('/news', { bodyLimit: MAX_NEWS_BYTES }, (request, reply) => {
    let news: News;
    try {
      news = webhook.verify(String(request.body), request.headers as Record<string, string>) as News;
    } catch {
      return reply.code(401).send();
    }
    act(String(request.headers['webhook-id']), news);
    return reply.code(204).send();
  });

  function act(messageId: string, { type, data }: News): void {
    const { key: orderId, payment } = data;
    const isOurs = productOf(orderId, products) !== undefined;
    if (!isOurs || !money.take(messageId, orderId, type)) return;
    if (type === 'payment.returned')
      tellMerchant(`${orderId}: the payment came back (${payment?.code ?? 'no code'}). Do not deliver.`);
    events.changed(orderId);
  }
}
