import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { closesLater } from './test-ledger';

/** A relay in front of a PostgreSQL server. A test can make it lead to another server at the same address. */
export interface ServerRelay {
  readonly url: string;
  /** Makes new connections lead to this server. */
  leadTo(url: string): void;
  /** Cuts the connection of the next insert, after the server has committed the insert and before its answer arrives. */
  loseNextAnswer(): void;
}

/** Opens a relay to the server of a URL. The relay closes when the test ends. */
export async function openServerRelay(target: string): Promise<ServerRelay> {
  let { hostname: host, port } = new URL(target);
  let losesNext = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host, port: Number(port) });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far);
    far.on('data', (answer: Buffer) => {
      if (losesNext && answer.includes('INSERT 0 ')) {
        losesNext = false;
        near.destroy();
      } else near.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closesLater(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  });
  const own = new URL(target);
  own.port = String((server.address() as AddressInfo).port);
  own.hostname = '127.0.0.1';
  return {
    url: own.href,
    leadTo: (url) => {
      ({ hostname: host, port } = new URL(url));
    },
    loseNextAnswer: () => {
      losesNext = true;
    },
  };
}
