import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaysessionError } from '../src/errors';

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
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = `Port ${port} is in use: set PAYSESSION_HEALTH_PORT to another port, or stop what listens there.`;
      reject(
        error.code === 'EADDRINUSE' ? new PaysessionError('PORT_IN_USE', inUse, { cause: error }) : error,
      );
    });
    server.listen(port, host, resolve);
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
