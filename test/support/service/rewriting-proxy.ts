import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { relay } from './relay';

/** Changes the JSON of an answer. `path` is the request's path. */
export type Rewrite = (body: Readonly<Record<string, unknown>>, path: string) => Record<string, unknown>;

export interface RewritingProxy {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** Starts a proxy in front of a payment service. The proxy changes the service's answers. */
export async function startRewritingProxy(truth: string, rewrite: Rewrite): Promise<RewritingProxy> {
  const server = createServer((request, response) => {
    void relay(truth, request).then(({ status, body }) => {
      const rewritten = rewrite(body, request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(rewritten));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
