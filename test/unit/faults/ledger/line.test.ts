import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CUTS, Line } from '../../../../chaos/faults/ledger/line';

const COMMIT = 'with own as (…) insert into paysession_ledger.entries (…) values (…)';

let server: Server;
let line: Line;
let port: number;
/** The data that has reached the server. */
let received: string;

beforeEach(async () => {
  received = '';
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (sent) => {
      received += String(sent);
      socket.write('done');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  line = new Line((server.address() as AddressInfo).port);
  port = await line.listen();
});

afterEach(async () => {
  await line.close();
  server.close();
});

/** Sends a statement and returns the answer, which is empty if the connection was cut. */
async function ask(statement: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(statement);
  const answer = await Promise.race([
    once(socket, 'data').then(
      ([sent]: unknown[]) => String(sent),
      () => '',
    ),
    once(socket, 'close').then(() => ''),
  ]);
  socket.destroy();
  return answer;
}

describe('the connection between workers and the ledger that a fault can cut', () => {
  test('forwards statements and answers', async () => {
    expect(await ask(COMMIT)).toBe('done');
    expect(received).toBe(COMMIT);
  });

  test.each(CUTS)('is cut in the next commit only, at the place %s', async (cut) => {
    const isCut = line.cutNext(cut);
    expect(await ask('select')).toBe('done');
    received = '';
    expect(await ask(COMMIT)).toBe('');
    await isCut;
    if (cut === 'halfSent') expect(received.length).toBeLessThan(COMMIT.length);
    if (cut === 'answered') expect(received).toBe(COMMIT);
    expect(await ask(COMMIT)).toBe('done');
  });

  test('is not cut in the next commit after the fault is over', async () => {
    const isOver = line.cutNext('answered');
    line.spare();
    await isOver;
    expect(await ask(COMMIT)).toBe('done');
  });
});
