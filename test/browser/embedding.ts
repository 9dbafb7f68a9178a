import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, Frame, Page } from 'playwright-core';

/** The compiled embed module, as browsers load it. */
export const MODULE = readFileSync(
  join(__dirname, '..', '..', 'dist', 'src', 'embed', 'module', 'index.js'),
  'utf8',
);

/** A merchant’s page that loads the embed module without a bundler, and collects the module’s reports. */
const MERCHANT = `<!doctype html><title>Merchant</title><meta name="referrer" content="unsafe-url" /><div id="here"></div><script type="module">
  import { embedCheckout } from '/embed.js';
  window.reports = [];
  window.embed = (options) => {
    window.embedded = embedCheckout({
      container: document.getElementById('here'),
      onSuccess: () => window.reports.push('success'),
      onExit: () => window.reports.push('exit'),
      onStep: (step) => window.reports.push('step ' + step),
      ...options,
    });
  };
  window.addEventListener('error', ({ error }) => window.reports.push('error ' + error.message));
  window.heard = [];
  window.addEventListener('message', ({ data, origin }) => window.heard.push({ data, origin }));
</script>`;

/** The origins of these tests' pages. */
export interface Origins {
  readonly merchant: string;
  readonly flow: string;
  /** An origin that is neither the merchant’s nor the flow’s. */
  readonly elsewhere: string;
}

const servers: Server[] = [];

async function serve(
  host: string,
  answer: (path: string, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    answer(url, response);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

/** Serves three pages on three origins: the merchant’s page, a page in place of the hosted flow, and an unrelated page. */
export async function servePages(): Promise<Origins> {
  const merchant = await serve('localhost', (path, response) => {
    response.setHeader('content-type', path === '/embed.js' ? 'text/javascript' : 'text/html');
    response.end(path === '/embed.js' ? MODULE : MERCHANT);
  });
  const page = (_path: string, response: ServerResponse) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>A page</title><a href="#" target="_blank">open</a>');
  };
  return { merchant, flow: await serve('127.0.0.1', page), elsewhere: await serve('127.0.0.1', page) };
}

export function closePages(): void {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
}

export interface Embedded {
  readonly page: Page;
  readonly frame: Frame;
}

/** Opens the merchant’s page with a flow. `options` is source code for further options, such as `onStep: undefined`. */
export async function embedIn(
  browser: BrowserContext,
  { merchant, flow }: Origins,
  options: string,
): Promise<Embedded> {
  const page = await browser.newPage();
  await page.goto(`${merchant}/orders/7`);
  await page.evaluate(`embed({ checkoutUrl: '${flow}/app/?sessionId=1', ${options} })`);
  return { page, frame: await frameAt(page, flow) };
}

/** Returns the page's newest frame, once the frame's URL starts with `url`. */
export async function frameAt(page: Page, url: string): Promise<Frame> {
  for (;;) {
    const frame = page.frames().at(-1);
    if (frame?.url().startsWith(url) === true) {
      await frame.waitForLoadState();
      return frame;
    }
    await page.waitForEvent('framenavigated');
  }
}

/** Sends a message from a frame to its page. */
export const post = (from: Frame, data: unknown) =>
  from.evaluate(`parent.postMessage(${JSON.stringify(data)}, '*')`);

/** Waits until the page has received `messages` messages from any origin. Returns the module’s reports. */
export async function reportsAfter(page: Page, messages: number): Promise<readonly string[]> {
  await page.waitForFunction(`heard.length >= ${messages}`);
  // After this turn, all effects of a message have happened, apart from hooks and timers.
  return page.evaluate<string[]>('new Promise((done) => setTimeout(() => done(reports)))');
}
