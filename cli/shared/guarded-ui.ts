import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { LOOPBACK_HOSTS } from '../../src/contract/values/loopback';
import { toPortError } from '../../src/errors';
import { LISTEN_HOST } from './parse-arguments';

/** A web UI that listens. */
export interface GuardedUi {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves Temporal's web UI, which has no login and answers under any host name, under the names of this machine alone: a web page of any
 * name can make that name lead here (DNS rebinding), but its browser sends the name as host. Throws `PaysessionError` `PORT_IN_USE`.
 *
 * @param target where the web UI itself listens
 */
export async function serveGuardedUi(target: string, port: number): Promise<GuardedUi> {
  const server = createServer((request, response) => {
    if (isOfThisMachine(request)) passOn(target, request, response);
    else response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(REFUSED);
  });
  server.listen(port, LISTEN_HOST);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw toPortError(error, port, 'Choose another one with --ui-port,');
  }
  const address = server.address();
  const listens = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${LISTEN_HOST}:${listens}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const REFUSED =
  'Temporal’s web UI answers for 127.0.0.1 and localhost alone, and to no page of another site.\n';

/** Under a name of this machine, and not from a page of another site, which only leads people here. */
function isOfThisMachine({ headers }: IncomingMessage): boolean {
  const host = (headers.host ?? '').replace(/:\d{1,5}$/, '').toLowerCase();
  const site = headers['sec-fetch-site'] ?? 'none';
  const isVisit = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return LOOPBACK_HOSTS.includes(host) && (site === 'same-origin' || site === 'none' || isVisit);
}

function passOn(target: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request;
  const { hostname, port } = new URL(target);
  const onward = ask({ hostname, port, path: url, method, headers, agent: false });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => undefined);
  });
  pipeline(request, onward, (error) => {
    // The web UI is away: its server ends.
    if (error && !response.headersSent) response.writeHead(502).end();
  });
}
