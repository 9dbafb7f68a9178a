import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toPortError } from '../src/errors';

/** A health endpoint that listens. */
export interface HealthServer {
  /** The port that it listens on. */
  readonly port: number;
  /** Stops listening. */
  close(): Promise<void>;
}

/** Answers `GET /healthz` with 200 while `isHealthy`, else 503. Throws `PaysessionError` `PORT_IN_USE`. */
export async function serveHealth(
  port: number,
  isHealthy: () => boolean,
  host = '127.0.0.1',
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const known = request.url === '/healthz';
    const healthy = isHealthy();
    response.writeHead(known ? (healthy ? 200 : 503) : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(known ? { status: healthy ? 'ok' : 'stopping' } : { status: 'unknown path' }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: unknown) => {
    throw toPortError(error, port, 'Set PAYSESSION_HEALTH_PORT to another port,');
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
