import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { toPortError } from '../../src/errors';

/** The engine listens on this address alone. */
export const ENGINE_HOST = '127.0.0.1';

/**
 * Makes sure that a port is free, or finds one for 0. Throws `PaysessionError` `PORT_IN_USE`. Another program may still
 * take the port before the server does.
 */
export async function freePort(port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen({ port, host: ENGINE_HOST });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    throw toPortError(cause, port);
  } finally {
    if (server.listening) {
      server.close();
      await once(server, 'close');
    }
  }
}
