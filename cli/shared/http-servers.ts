import { once } from 'node:events';
import {
  createServer,
  request as ask,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { LOOPBACK_HOSTS } from '../../src/contract/values/loopback';
import { toPortError } from '../../src/errors';
import { LISTEN_HOST } from './parse-arguments';
import { isFromOtherSite, isVisit } from '../../src/web/guards';

/** A server that listens. */
interface Listening {
  readonly url: string;
  /** Closes the server and its connections. */
  close(): Promise<void>;
}

interface Place {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Advice on choosing another port; ` or …` follows it in the error message. */
  readonly remedy: string;
}

/** Starts a server. Throws the error that `toPortError` returns. */
async function listen({ host, port, remedy }: Place, answer: RequestListener): Promise<Listening> {
  const server = createServer(answer).listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw toPortError(error, port, remedy);
  }
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * Answers `/metrics` in Prometheus' form, and `/livez` while the process runs. Without a port, serves nothing and returns `undefined`.
 * Throws `PaysessionError` `PORT_IN_USE` or `INVALID_SETTINGS` about the port.
 */
export async function serveMetrics(
  { metricsPort: port, metricsHost: host }: { readonly metricsPort?: number; readonly metricsHost: string },
  text: () => string,
): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  return listen({ host, port, remedy: 'Choose another port with --metrics-port,' }, (request, response) => {
    const isMetrics = request.url === '/metrics';
    const isKnown = isMetrics || request.url === '/livez';
    const type = isMetrics ? 'text/plain; version=0.0.4; charset=utf-8' : 'text/plain; charset=utf-8';
    response.writeHead(isKnown ? 200 : 404, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(isMetrics ? text() : isKnown ? 'ok\n' : 'unknown path\n');
  });
}

/**
 * Serves Temporal's web UI only under the names of this machine, and not to pages of other origins. The web UI has no login and answers
 * under any host name. A web site can make its own name lead here (DNS rebinding), but the browser then sends that name as the host.
 * Throws `PaysessionError` `PORT_IN_USE` or `INVALID_SETTINGS` about the port.
 *
 * @param target URL of the web UI itself
 */
export function serveGuardedUi(target: string, port: number): Promise<Listening> {
  return listen(
    { host: LISTEN_HOST, port, remedy: 'Choose another port with --ui-port,' },
    (request, response) => {
      const host = (request.headers.host ?? '').replace(/:\d{1,5}$/, '').toLowerCase();
      const isOtherPage = isFromOtherSite(request) && !isVisit(request);
      if (LOOPBACK_HOSTS.includes(host) && !isOtherPage) passOn(target, request, response);
      else response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(REFUSED);
    },
  );
}

const REFUSED =
  'Temporal’s web UI answers only under 127.0.0.1 and localhost, and not to pages of other origins.\n';

function passOn(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request;
  const { hostname, port } = new URL(target);
  const onward = ask({ hostname, port, path: url, method, headers, agent: false });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => undefined);
  });
  pipeline(request, onward, (error) => {
    // The web UI's server does not answer, or the caller has left.
    if (error && !response.headersSent) response.writeHead(502).end();
  });
}
