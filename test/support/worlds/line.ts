import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from '@temporalio/client';
import { PaymentSessions } from '../../../src';
import { connectTemporal } from '../../../src/settings';
import { PATIENT_CONNECT, type World } from './world';

/** A relay: a local address that forwards connections to another address. A test can cut it and restore it. */
export interface Line {
  readonly address: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
}

/** Opens a line to an address. */
async function openLine(target: string): Promise<Line> {
  const sockets = new Set<Socket>();
  const [host = '', port] = target.split(':');
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  const start = (at: number) =>
    new Promise<void>((resolve) => {
      server.listen(at, '127.0.0.1', resolve);
    });
  await start(0);
  const own = (server.address() as AddressInfo).port;
  return {
    address: `127.0.0.1:${own}`,
    cut: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
    restore: () => start(own),
  };
}

/** Connects to a world’s Temporal server over a line. At the end, the caller must close the connection and cut the line. */
export async function connectByLine({
  taskQueue,
  temporalAddress,
}: Pick<World, 'taskQueue' | 'temporalAddress'>) {
  const line = await openLine(temporalAddress);
  const { connection } = await connectTemporal(
    { connection: { address: line.address }, namespace: 'default' },
    PATIENT_CONNECT,
  );
  const client = new Client({ connection });
  return {
    line,
    connection,
    clients: { client, taskQueue, sessions: new PaymentSessions(client, { taskQueue }) },
  };
}
