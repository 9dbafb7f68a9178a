import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Returns a free address of this machine, HOST:PORT. */
export async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { address, port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `${address}:${port}`;
}
