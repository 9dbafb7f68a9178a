import { toPortError } from '../../src/errors';
import { once } from 'node:events';
import { createServer } from 'node:http';
/** A signal that aborts at the first Ctrl-C (SIGINT) or SIGTERM. A second one ends the process as usual. */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    const listener = () => {
      controller.abort();
      // Not `once`: proper-lockfile's own listener, run next, ends the process at once when it finds itself alone.
      setImmediate(() => process.off(name, listener));
    };
    process.on(name, listener);
  }
  return controller.signal;
}

/** Settles once the signal has aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}

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
