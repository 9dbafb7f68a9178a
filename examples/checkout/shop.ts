import { fastify, type FastifyInstance } from 'fastify';
import type { PaymentSessions, SessionPolicy } from 'paysession';
import { buyRoutes } from './buy-routes';
import type { ShopContext } from './context';
import { answerErrors, ShopError } from './errors';
import { readerOf, rememberChoice } from './language';
import { webhookRoute, type ShopWebhooks } from './webhook-route';
import { OrderEvents } from './orders/events';
import { OrderMoney } from './orders/money';
import { orderRoutes } from './orders/routes';
import { pageFiles } from './page-files';
import { cataloguePage } from './pages/catalogue-page';
import { PRODUCTS, type Product } from './products';
import { comesFromElsewhere, hostOf, sendPage } from './security';
import { TEXTS } from './texts';

export interface ShopOptions {
  readonly sessions: PaymentSessions;
  /** @default PRODUCTS */
  readonly products?: readonly Product[];
  /** How the shop's payment sessions are followed. @default the library's own policy */
  readonly policy?: SessionPolicy;
  /**
   * How often an order that somebody looks at is read, in milliseconds: a query of its workflow, which changes nothing. What
   * the shop itself has brought about, and what webhooks tell, shows at once. @default 1000, or 5000 with `webhooks`
   */
  readonly lookEveryMs?: number;
  /**
   * Host names as which buyers reach the shop, without port, besides this machine's own and the address that it listens on:
   * a page elsewhere can make its name lead here (DNS rebinding), but its browser sends that name. @default []
   */
  readonly allowedHosts?: readonly string[];
  /** Receives webhooks at `/webhooks`: orders then tell of their money, too. @default not at all */
  readonly webhooks?: ShopWebhooks | undefined;
}

export interface Shop {
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<{ readonly url: string }>;
  /** Ends the pages' streams, and lets requests that are under way have their answers, for five seconds at most. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024;
const CLOSE_GRACE_MS = 5_000;
const CLOSE_SWEEP_MS = 50;

/** A shop that keeps nothing itself but what webhooks have told: an order is a payment session, whose key is the order's id. */
export function createShop({
  sessions,
  products = PRODUCTS,
  policy,
  webhooks,
  lookEveryMs = webhooks === undefined ? 1_000 : 5_000,
  allowedHosts = [],
}: ShopOptions): Shop {
  const app = fastify({ bodyLimit: MAX_BODY_BYTES });
  const hosts = new Set(['127.0.0.1', 'localhost', '[::1]', ...allowedHosts]);
  manners(app, hosts);
  pageFiles(app);
  app.get('/', (request, reply) => sendPage(reply, cataloguePage(readerOf(request), products)));
  const money = webhooks && new OrderMoney();
  const events = new OrderEvents({ sessions, lookEveryMs, money });
  const context: ShopContext = { sessions, products, policy, events, money };
  buyRoutes(app, context);
  orderRoutes(app, context);
  if (webhooks !== undefined && money !== undefined) webhookRoute(app, webhooks, { ...context, money });
  return {
    listen: async ({ port = 0, host = '127.0.0.1' } = {}) => {
      hosts.add(host);
      return { url: await app.listen({ port, host }) };
    },
    close: () => close(app, events),
  };
}

/** After it, nothing of the shop asks for a payment session any more: whoever lent it a connection may close that. */
async function close(app: FastifyInstance, events: OrderEvents): Promise<void> {
  events.end();
  // A connection that has had its answer is kept open for the next request, which nobody will answer.
  const sweep = setInterval(() => {
    app.server.closeIdleConnections();
  }, CLOSE_SWEEP_MS);
  const force = setTimeout(() => {
    app.server.closeAllConnections();
  }, CLOSE_GRACE_MS);
  try {
    await app.close();
    await events.ended();
  } finally {
    clearInterval(sweep);
    clearTimeout(force);
  }
}

/** What holds for every request and answer. */
function manners(app: FastifyInstance, hosts: ReadonlySet<string>): void {
  answerErrors(app);
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      const form = new URLSearchParams(String(body));
      // What is not UTF-8 has become U+FFFD, and the payor's bank would compare such a name.
      const isReadable = !form.toString().includes(encodeURIComponent('\ufffd'));
      done(isReadable ? null : new ShopError(400, TEXTS.errors.noForm), form);
    },
  );
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    if (!hosts.has(hostOf(request))) throw new ShopError(403, TEXTS.errors.noShop);
    if (request.method === 'POST' && comesFromElsewhere(request)) {
      throw new ShopError(403, TEXTS.errors.elsewhere);
    }
    rememberChoice(request, reply);
  });
}
