import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A gate at which fake builds of the Temporal server wait until the test opens it. */
export interface Gate {
  readonly port: number;
  /** Returns the number of builds that have reached the gate. */
  arrivals(): number;
  /** Waits until the next build reaches the gate. */
  arrival(): Promise<void>;
  /** Lets all builds end, also builds that reach the gate later. */
  open(): void;
  close(): void;
}

export async function createGate(): Promise<Gate> {
  const waiting = new Set<Socket>();
  let arrivals = 0;
  let isOpen = false;
  const server = createServer((socket) => {
    arrivals += 1;
    waiting.add(socket);
    socket.on('error', () => {
      waiting.delete(socket);
    });
    if (isOpen) socket.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    arrivals: () => arrivals,
    arrival: async () => {
      await once(server, 'connection');
    },
    open: () => {
      isOpen = true;
      for (const socket of waiting) socket.end();
    },
    close: () => {
      server.close();
      for (const socket of waiting) socket.destroy();
    },
  };
}
