import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';

export interface DownloadServer {
  readonly url: string;
  /** The path and query of each request. */
  readonly requests: readonly string[];
  close(): void;
}

/** Starts a server on this machine. Tests use it in place of the official download server. */
export async function serveDownload(listener: RequestListener): Promise<DownloadServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    // Stops listening, and then drops the connections. Does not wait for their ends: another process may be connected, whose own server
    // used this port before.
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns a listener that redirects to the archive, as the official download server does. */
export async function archiveListener(archive: string): Promise<RequestListener> {
  const bytes = await readFile(archive);
  return (request, response) => {
    if (request.url === '/files/official.tar.gz') response.end(bytes);
    else response.writeHead(302, { location: '/files/official.tar.gz' }).end();
  };
}

export function statusListener(status: number): RequestListener {
  return (_request, response) => {
    response.writeHead(status).end('no such archive');
  };
}
