import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { ENGINE_HOST } from '../../../engine/run/ports';

/** One address before all frontends, as a load balancer is. */
export interface Front {
  /** HOST:PORT. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Leads each connection to the next port that accepts it, and closes it when that end closes: a client then connects
 * again, to one that lives.
 */
export async function startFront(ports: readonly number[]): Promise<Front> {
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer({ noDelay: true }, (client) => {
    connections += 1;
    open.add(client);
    client.once('close', () => open.delete(client));
    // What goes wrong on one side ends both, by their `close`.
    client.on('error', () => undefined);
    const turns = ports.map((_, index) => ports[(connections + index) % ports.length] ?? 0);
    lead(client, turns);
  });
  server.listen(0, ENGINE_HOST);
  await once(server, 'listening');
  return {
    address: `${ENGINE_HOST}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const client of open) client.destroy();
      await closed;
    },
  };
}

function lead(client: Socket, [port, ...others]: readonly number[]): void {
  if (port === undefined || client.destroyed) {
    client.destroy();
    return;
  }
  const frontend = connect({ port, host: ENGINE_HOST, noDelay: true });
  const refused = () => {
    lead(client, others);
  };
  frontend.once('error', refused);
  frontend.once('connect', () => {
    frontend.off('error', refused).on('error', () => undefined);
    frontend.once('close', () => client.destroy());
    client.once('close', () => frontend.destroy());
    if (client.destroyed) frontend.destroy();
    client.pipe(frontend).pipe(client);
  });
}
