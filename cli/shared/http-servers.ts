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

/** A running HTTP server. */
interface Listening {
  readonly url: string;
  /** Closes the server and its connections. */
  close(): Promise<void>;
}

interface Place {
  readonly host: string;
  /** The port to listen on. If it is 0, the system chooses a free port. */
  readonly port: number;
  /** Advice for the error message if the port is taken. The message continues after it with ` or …`. */
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
 * Serves `/metrics` for Prometheus, and `/livez`, which answers while the process runs. Without a port, serves nothing and returns `undefined`.
 * Throws `PaysessionError` `PORT_IN_USE` or `INVALID_SETTINGS` if the server cannot listen on the port.
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
 * Serves Temporal's web UI through a guard that protects it from web sites. The web UI itself has no login, and answers under any host name.
 *
 * A web site could let its own host name point to this machine (DNS rebinding). Its requests then have that name as the host. So the guard answers
 * only under the names of this machine. It also refuses requests from pages of other origins. Throws `PaysessionError` `PORT_IN_USE` or
 * `INVALID_SETTINGS` if the server cannot listen on the port.
 *
 * @param target the URL of the web UI itself
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
    // The web UI's server does not answer, or the caller has closed the connection.
    if (error && !response.headersSent) response.writeHead(502).end();
  });
}
