import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';
import { html } from '../../src/web/html';

/** A merchant’s site on its own origin. Its page embeds the flow, and collects the messages that it receives. */
export interface Merchant {
  readonly origin: string;
  /** Returns the URL of the page that embeds a flow. `sandbox` is the attribute with which the frame is restricted. */
  embedding(flowUrl: string, frame?: { readonly sandbox?: string }): string;
  readonly urlSuccess: string;
  readonly urlExit: string;
}

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});

export async function startMerchant(): Promise<Merchant> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://merchant');
    response.setHeader('content-type', 'text/html');
    response.end(pathname === '/shop' ? shop(searchParams) : `<title>${pathname}</title>`);
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    embedding: (flow, frame) => `${origin}/shop?${new URLSearchParams({ flow, ...frame }).toString()}`,
    urlSuccess: `${origin}/paid`,
    urlExit: `${origin}/left`,
  };
}

function shop(query: URLSearchParams): string {
  const sandbox = query.get('sandbox');
  return html`<!doctype html>
    <html lang="en">
      <title>Shop</title>
      <script>
        const messages = [];
        window.addEventListener('message', ({ data, origin }) => messages.push({ data, origin }));
      </script>
      <iframe
        id="flow"
        title="Payment"
        src="${query.get('flow')}"
        width="400"
        height="700"
        onload="this.dataset.loaded = 'yes'"
        ${sandbox !== null && html`sandbox="${sandbox}"`}
      ></iframe>
    </html>`.text;
}
