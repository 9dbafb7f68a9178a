import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';
import { closesLater } from './test-ledger';

/** The number of connections to the server, which clients share. */
const CONNECTIONS = 3;

/**
 * Starts a proxy in front of a PostgreSQL server, and returns its URL. Like PgBouncer in transaction mode, it has a few connections,
 * and lends one to a client for one transaction. If a client changes a setting for the session, the setting stays in the connection,
 * and the next client gets it. The proxy gives each client its own number.
 */
export async function transactionPooler(url: string): Promise<string> {
  const free: Socket[] = [];
  const waiting: ((socket: Socket) => void)[] = [];
  const lent: Socket[] = [];
  for (let count = 0; count < CONNECTIONS; count += 1) {
    const client = new Client(url);
    client.on('error', () => undefined);
    await client.connect();
    lent.push(streamOf(client));
  }
  free.push(...lent);
  // Lends the least recently used connection. So a client gets another connection each time.
  const borrow = async (): Promise<Socket> => free.shift() ?? new Promise((resolve) => waiting.push(resolve));
  const giveBack = (socket: Socket): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(socket);
    else next(socket);
  };
  let number = 0;
  const server = createServer((near) => {
    number += 1;
    lend(near, { number, borrow, giveBack });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closesLater(async () => {
    server.close();
    for (const socket of lent) socket.destroy();
    await once(server, 'close');
  });
  const own = new URL(url);
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return own.href;
}

/** Takes the socket from PostgreSQL’s driver. From now on, only the proxy reads it. */
function streamOf(client: Client): Socket {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  stream.removeAllListeners('data');
  return stream;
}

interface Lending {
  readonly number: number;
  readonly borrow: () => Promise<Socket>;
  readonly giveBack: (socket: Socket) => void;
}

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Returns the answer to a client's first message: the client is accepted, and gets its number. */
function greeting(number: number): Buffer {
  const key = Buffer.alloc(8);
  key.writeInt32BE(1_000_000 + number);
  return Buffer.concat([
    message('R', Buffer.from([0, 0, 0, 0])),
    message('S', Buffer.from('client_encoding\0UTF8\0')),
    message('K', key),
    message('Z', Buffer.from('I')),
  ]);
}

const READY = 'Z'.charCodeAt(0);
const TERMINATE = 'X'.charCodeAt(0);

function lend(near: Socket, { number, borrow, giveBack }: Lending): void {
  let lent: Promise<Socket> | undefined;
  let answers = Buffer.alloc(0);
  const onAnswer = (bytes: Buffer): void => {
    near.write(bytes);
    answers = Buffer.concat([answers, bytes]);
    while (answers.length >= 5 && answers.length > answers.readInt32BE(1)) {
      const length = answers.readInt32BE(1) + 1;
      const isOver = answers[0] === READY && answers[5] === 'I'.charCodeAt(0);
      answers = answers.subarray(length);
      if (isOver) void release();
    }
  };
  const release = async (): Promise<void> => {
    const far = await lent;
    lent = undefined;
    far?.off('data', onAnswer);
    if (far !== undefined) giveBack(far);
  };
  near.on('error', () => undefined);
  near.once('data', () => {
    near.write(greeting(number));
    near.on('data', (bytes: Buffer) => {
      if (bytes[0] === TERMINATE) return;
      lent ??= borrow().then((far) => {
        far.on('data', onAnswer);
        return far;
      });
      void lent.then((far) => far.write(bytes));
    });
  });
  // If a client disconnects during a transaction, the proxy rolls the transaction back.
  near.on('close', () => {
    void lent?.then((far) => {
      far.off('data', onAnswer);
      far.write(message('Q', Buffer.from('rollback\0')));
      far.once('data', () => {
        giveBack(far);
      });
    });
  });
}
