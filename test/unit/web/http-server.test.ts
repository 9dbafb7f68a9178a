import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import { httpServer } from '../../../src/web/http-server';
import { until } from '../../support/wait';

const LIMITS = { requestTimeoutMs: 200, lookEveryMs: 50, maxConnections: 3 };

let app: FastifyInstance;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

/** The methods of the requests that the server has received. */
let asked: string[] = [];

async function listen(limits = LIMITS): Promise<number> {
  asked = [];
  app = httpServer(1_000, limits);
  app.all('/asked', (request, reply) => {
    asked.push(request.method);
    return reply.send('answer');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Connects a client that sends these bytes and never closes its side. */
function hold(port: number, bytes: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(bytes);
  return socket;
}

/** Returns everything that the server sends until it closes its side. The client's side stays open. */
async function answerOn(socket: Socket): Promise<string> {
  let answer = '';
  socket.on('data', (chunk) => (answer += chunk.toString()));
  await once(socket, 'end');
  return answer;
}

const connections = () =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => {
      if (error) reject(error);
      else resolve(count);
    });
  });
const noneIsLeft = () => until(connections, (count) => count === 0);

describe('an HTTP server frees a connection that the client keeps open', () => {
  test.each([
    ['the headers of a request', 'GET /asked HTTP/1.1\r\nHost: x\r\n'],
    [
      'the body of a request',
      'POST /asked HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nhalf',
    ],
    ['any byte of a request', ''],
  ])('and answers 408, if the client does not send %s in time', async (_what, bytes) => {
    const socket = hold(await listen(), bytes);
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"status":408/);
    // The rest of the bytes no longer completes the request.
    socket.write(bytes === '' ? 'GET /asked HTTP/1.1\r\nHost: x\r\n\r\n' : ' body\r\n\r\n');
    await noneIsLeft();
    expect(asked).toEqual([]);
  });

  test('if the client sends data that is not HTTP', async () => {
    expect(await answerOn(hold(await listen(), 'hello\r\n\r\n'))).toMatch(/^HTTP\/1\.1 400 /);
    await noneIsLeft();
  });
});

test('an HTTP server accepts a limited number of connections, and more once some are closed', async () => {
  const port = await listen({ ...LIMITS, requestTimeoutMs: 60_000 });
  const held = [1, 2, 3].map(() => hold(port, 'GET /asked HTTP/1.1\r\n'));
  await until(connections, (count) => count === 3);
  const refused = once(app.server, 'drop');
  hold(port, '');
  await refused;
  for (const socket of held) socket.destroy();
  await noneIsLeft();
  const answer = await answerOn(hold(port, 'GET /asked HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'));
  expect(answer).toContain('answer');
});
