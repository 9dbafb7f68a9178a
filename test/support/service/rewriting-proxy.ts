import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Changes the JSON of an answer; `path` is the request's. */
export type Rewrite = (body: Record<string, unknown>, path: string) => Record<string, unknown>;

export interface RewritingProxy {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** A payment service that answers as another one does, in other words. */
export async function startRewritingProxy(truth: string, rewrite: Rewrite): Promise<RewritingProxy> {
  const server = createServer((request, response) => {
    void relayed(truth, request).then(({ status, body }) => {
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

async function relayed(truth: string, request: IncomingMessage) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { authorization, 'content-type': type } = request.headers;
  const answer = await fetch(truth + (request.url ?? ''), {
    method: request.method ?? 'GET',
    headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
