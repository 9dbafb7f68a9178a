import { once } from 'node:events';
import { createServer } from 'node:http';
import { toPortError } from '../../../src/errors';

/** Answers `GET /metrics` in Prometheus' form, and `GET /livez` while the process runs. Throws `PaysessionError` `PORT_IN_USE`. */
export async function serveMetrics(
  { metricsPort: port, metricsHost: host }: { readonly metricsPort?: number; readonly metricsHost: string },
  text: () => string,
): Promise<{ close(): Promise<void> } | undefined> {
  if (port === undefined) return undefined;
  const server = createServer((request, response) => {
    const isMetrics = request.url === '/metrics';
    const isKnown = isMetrics || request.url === '/livez';
    const type = isMetrics ? 'text/plain; version=0.0.4; charset=utf-8' : 'text/plain; charset=utf-8';
    response.writeHead(isKnown ? 200 : 404, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(isMetrics ? text() : isKnown ? 'ok\n' : 'unknown path\n');
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw toPortError(error, port, 'Choose another with --metrics-port,');
  }
  return {
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
