import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { closesLater } from './test-ledger';

/** A relay to a PostgreSQL server. It keeps its address when it leads to another server. */
export interface Way {
  readonly url: string;
  /** Leads new connections to this server. */
  leadTo(url: string): void;
  /** Cuts the connection of the next insert, after the server has committed the insert and before its answer arrives. */
  loseNextAnswer(): void;
}

/** Opens a relay to the server of a URL. It closes with the test. */
export async function openWay(target: string): Promise<Way> {
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
