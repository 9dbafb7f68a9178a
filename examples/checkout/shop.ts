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
  /** The products on sale. @default PRODUCTS */
  readonly products?: readonly Product[];
  /** The policy of the shop's payment sessions. @default the library's own policy */
  readonly policy?: SessionPolicy;
  /**
   * While an order's page is open, the shop reads the order this often, in milliseconds. A read queries the order's
   * workflow and changes nothing. If the shop itself or a webhook changes the order, the page shows this at once.
   * @default 1000, or 5000 with `webhooks`
   */
  readonly lookEveryMs?: number;
  /**
   * More host names under which buyers reach the shop, without port. The host names of this machine and the address on
   * which the shop listens need not be listed. The shop refuses requests for other names, because a foreign site can
   * make its own name resolve to this machine (DNS rebinding). @default []
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Settings for webhooks, which report whether an order's money has arrived or come back. The shop receives them at
   * `/webhooks`. @default no webhooks
   */
  readonly webhooks?: ShopWebhooks | undefined;
}

export interface Shop {
  listen(options?: { readonly port?: number; readonly host?: string }): Promise<{ readonly url: string }>;
  /** Ends the event streams of open pages, and waits five seconds at most for current requests. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024;
const CLOSE_GRACE_MS = 5_000;
const CLOSE_SWEEP_MS = 50;

/**
 * Creates a sample shop. An order is a payment session whose key is the order's id. The shop itself stores only the
 * content of webhooks.
 */
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
  addRules(app, hosts);
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

/**
 * Closes the shop. Afterwards, the event streams of pages make no more calls to Temporal, so the caller may close the
 * connection. If closing took too long, a call of a request that was cut off may still be running.
 */
async function close(app: FastifyInstance, events: OrderEvents): Promise<void> {
  events.end();
  // After an answer, a browser keeps its connection open for another request. The shop is closing, so it closes such
  // connections.
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

/** Adds the rules that apply to every request and answer. */
function addRules(app: FastifyInstance, hosts: ReadonlySet<string>): void {
  answerErrors(app);
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      const form = new URLSearchParams(String(body));
      // Bytes that are not UTF-8 have become U+FFFD. A name with such a character does not match the account holder's
      // name.
      const isReadable = !form.toString().includes(encodeURIComponent('\ufffd'));
      done(isReadable ? null : new ShopError(400, TEXTS.errors.noForm), form);
    },
  );
  // eslint-disable-next-line @typescript-eslint/require-await -- Fastify answers what an async hook throws
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
