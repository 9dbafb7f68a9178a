import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BrowserContext, Frame, Page } from 'playwright-core';

/** The module as browsers load it. */
export const MODULE = readFileSync(
  join(__dirname, '..', '..', 'dist', 'src', 'embed', 'module', 'index.js'),
  'utf8',
);

/** A merchant's page that uses the module as browsers load it, without a bundler, and keeps the module's reports. */
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
  /** A third origin. */
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

/** Serves the merchant's page, a page that replaces the flow, and one of another origin. */
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

/** Opens the merchant's page with a flow. `options` is the source of more options, such as `onStep: undefined`. */
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

/** Waits until the page has received that many messages, from any origin, and returns the module's reports. */
export async function reportsAfter(page: Page, messages: number): Promise<readonly string[]> {
  await page.waitForFunction(`heard.length >= ${messages}`);
  // By then, the effects of a message have happened, except for hooks and timers.
  return page.evaluate<string[]>('new Promise((done) => setTimeout(() => done(reports)))');
}
