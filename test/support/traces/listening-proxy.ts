import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the proxy has passed on. */
export interface PassedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A proxy in front of the payment service, which records the requests to it. */
export interface ListeningProxy {
  readonly url: string;
  readonly passed: readonly PassedRequest[];
  close(): Promise<void>;
}

/** Starts a proxy that passes requests on to the target. */
export async function startListeningProxy(target: string): Promise<ListeningProxy> {
  const passed: PassedRequest[] = [];
  const server = createServer((incoming, response) => {
    const { url: path = '', method, headers } = incoming;
    passed.push({ path, headers });
    const outgoing = request(new URL(path, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
