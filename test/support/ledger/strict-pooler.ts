import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { closesLater } from './test-ledger';

/** The connection parameters that PgBouncer accepts. It refuses a connection with any other parameter. */
const ACCEPTED = ['user', 'database', 'client_encoding', 'application_name'];

/**
 * Starts a proxy in front of a PostgreSQL server, and returns its URL. Like PgBouncer, it refuses a connection with unknown
 * parameters. If a client sends data that contains the text in the argument `cutAt`, the proxy closes that client’s connection.
 */
export async function strictPooler(url: string, cutAt?: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const proxy = createServer((client) => {
    client.on('error', () => undefined);
    client.on('data', (sent: Buffer) => {
      if (cutAt !== undefined && sent.includes(cutAt)) client.destroy();
    });
    client.once('data', (first: Buffer) => {
      const refused = parametersOf(first).find((name) => !ACCEPTED.includes(name));
      if (refused !== undefined) client.end(refusal(`unsupported startup parameter: ${refused}`));
      else relay(client, connect({ host, port: Number(port) }), first);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  closesLater(async () => {
    proxy.close();
    await once(proxy, 'close');
  });
  return url.replace(`${host}:${port}`, `127.0.0.1:${(proxy.address() as AddressInfo).port}`);
}

function relay(client: Socket, postgres: Socket, first: Buffer): void {
  postgres.on('error', () => client.destroy());
  postgres.write(first);
  client.pipe(postgres).pipe(client);
}

/**
 * Returns the names of the parameters in a connection’s first message. The message has a length and a version. Then names and values
 * alternate, each with a zero byte at the end.
 */
const parametersOf = (first: Buffer): readonly string[] =>
  first
    .subarray(8)
    .toString()
    .split('\0')
    .filter((text, index) => index % 2 === 0 && text !== '');

function refusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
