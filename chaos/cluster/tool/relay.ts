import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { TEMPORAL_HOST } from '../../../src/temporal-server/start-server';

/** One address in front of several servers, like a load balancer. */
export interface Relay {
  /** HOST:PORT. */
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts a relay. It connects each client to the next port of `portsNow` that accepts a connection. When that connection
 * closes, the relay drops the client, which can then reconnect and reach a running server.
 */
export async function startRelay(portsNow: () => readonly number[]): Promise<Relay> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (client) => {
    connections += 1;
    open.add(client);
    client.once('close', () => open.delete(client));
    // If one side fails, both end, because the `close` of one side destroys the other side.
    client.on('error', () => undefined);
    const ports = portsNow();
    const turns = ports.map((_, index) => ports[(connections + index) % ports.length] ?? 0);
    connectToFirst(client, turns);
  });
  server.listen(0, TEMPORAL_HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `${TEMPORAL_HOST}:${port}`,
    port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const client of open) client.destroy();
      await closed;
    },
  };
}

function connectToFirst(client: Socket, [port, ...others]: readonly number[]): void {
  if (port === undefined || client.destroyed) {
    client.destroy();
    return;
  }
  const target = connect({ port, host: TEMPORAL_HOST, noDelay: true });
  const refused = () => {
    connectToFirst(client, others);
  };
  target.once('error', refused);
  target.once('connect', () => {
    target.off('error', refused).on('error', () => undefined);
    target.once('close', () => client.destroy());
    client.once('close', () => target.destroy());
    if (client.destroyed) target.destroy();
    client.pipe(target).pipe(client);
  });
}
