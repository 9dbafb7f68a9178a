import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import type { SessionRequest } from '../../../../src';
import type { FlowTexts } from '../../../../sandbox/flow/texts';
import { html } from '../../../../src/web/html';
import { asking } from '../../../support/requests';
import { NO_POLLS } from '../../../support/worlds/shop';
import type { World } from '../../../support/worlds/world';
import { MerchantVisit } from './merchant-visit';

const MODULE = readFileSync(
  join(__dirname, '..', '..', '..', '..', 'dist', 'src', 'embed', 'module', 'index.js'),
  'utf8',
);

/** The redirect preferences of a session: how the flow returns control to the merchant. */
export interface ComingBack {
  readonly mode: 'JsEvents' | 'RedirectUri';
  readonly urls: readonly ('urlSuccess' | 'urlExit')[];
}

export interface VisitOptions {
  readonly account?: string;
  readonly comingBack?: ComingBack;
  /** The texts that the payor reads. @default English */
  readonly texts?: FlowTexts;
}

/**
 * A merchant’s site that opens a session for any request. (The sample shop sells only a few products.) Its page uses the embed module.
 * Its server refreshes the session in two cases: the module reports the end of the flow, or the payor returns by a redirect. The
 * sessions are not polled at other times.
 */
export class MerchantSite {
  readonly #checkoutUrls = new Map<string, string>();
  readonly #server: Server;

  private constructor(readonly world: World) {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  static async open(world: World): Promise<MerchantSite> {
    const site = new MerchantSite(world);
    await once(site.#server.listen(0, '127.0.0.1'), 'listening');
    return site;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** The site’s origin. As in reality, it differs from the payment service’s origin. */
  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Opens a session, and opens its page in the browser. */
  async visit(
    browser: BrowserContext,
    request: SessionRequest,
    { account, comingBack = { mode: 'JsEvents', urls: [] }, texts }: VisitOptions = {},
  ): Promise<MerchantVisit> {
    const key = randomUUID();
    const url = `${this.origin}/orders/${key}`;
    const redirectPreferences = {
      mode: comingBack.mode,
      ...Object.fromEntries(comingBack.urls.map((name) => [name, `${url}/${name}`])),
    };
    const { checkoutUrl } = await this.world.sessions.open({
      key,
      policy: NO_POLLS,
      request: asking(request, { redirectPreferences }),
      ...(account !== undefined && { account }),
    });
    this.#checkoutUrls.set(key, checkoutUrl);
    const page = await browser.newPage();
    await page.goto(url);
    return new MerchantVisit({ sessions: this.world.sessions, key, url, checkoutUrl, page, texts });
  }

  async #answer({ url = '/' }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url === '/embed.js') {
      response.setHeader('content-type', 'text/javascript').end(MODULE);
      return;
    }
    const [, , key = '', what] = url.split('/');
    const checkoutUrl = this.#checkoutUrls.get(key);
    if (checkoutUrl === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (what !== undefined) await this.world.sessions.get(key).refresh();
    response.setHeader('content-type', 'text/html').end(what ?? orderPage(checkoutUrl));
  }
}

/** Returns the HTML of the page that embeds the flow. The page collects its messages and the module’s reports. */
const orderPage = (checkoutUrl: string): string =>
  html`<!doctype html>
    <html lang="en">
      <title>Order</title>
      <link rel="icon" href="data:," />
      <div id="flow" data-checkout-url="${checkoutUrl}"></div>
      <script type="module">
        import { embedCheckout } from '/embed.js';
        window.heard = [];
        window.told = [];
        window.addEventListener('message', ({ data, origin }) => heard.push({ data, origin }));
        const container = document.getElementById('flow');
        embedCheckout({
          container,
          checkoutUrl: container.dataset.checkoutUrl,
          refresh: () => fetch(location.pathname + '/refresh', { method: 'POST' }),
          refreshTimeoutMs: 240_000,
          onSuccess: () => told.push('SUCCESS'),
          onExit: () => told.push('EXIT'),
        });
      </script>
    </html>`.text;
