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
let received: string[] = [];

async function listen(limits = LIMITS): Promise<number> {
  received = [];
  app = httpServer(1_000, limits);
  app.all('/test', (request, reply) => {
    received.push(request.method);
    return reply.send('answer');
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return (app.server.address() as AddressInfo).port;
}

/** Connects a client that sends these bytes, and does not close its side of the connection. */
function sendHalfOpen(port: number, bytes: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(bytes);
  return socket;
}

/** Returns all data that the server sends until it closes its side of the connection. The client's side stays open. */
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
const allClosed = () => until(connections, (count) => count === 0);

describe('an HTTP server closes a connection that the client keeps open', () => {
  test.each([
    ['the headers of a request', 'GET /test HTTP/1.1\r\nHost: x\r\n'],
    [
      'the body of a request',
      'POST /test HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nhalf',
    ],
    ['any byte of a request', ''],
  ])('after the answer 408, if the client does not send %s in time', async (_what, bytes) => {
    const socket = sendHalfOpen(await listen(), bytes);
    expect(await answerOn(socket)).toMatch(/^HTTP\/1\.1 408 [\s\S]*"status":408/);
    // The rest of the request comes too late.
    socket.write(bytes === '' ? 'GET /test HTTP/1.1\r\nHost: x\r\n\r\n' : ' body\r\n\r\n');
    await allClosed();
    expect(received).toEqual([]);
  });

  test('after the answer 400, if the client sends data that is not HTTP', async () => {
    expect(await answerOn(sendHalfOpen(await listen(), 'hello\r\n\r\n'))).toMatch(/^HTTP\/1\.1 400 /);
    await allClosed();
  });
});

test('an HTTP server accepts a limited number of connections, and accepts more after some were closed', async () => {
  const port = await listen({ ...LIMITS, requestTimeoutMs: 60_000 });
  const held = [1, 2, 3].map(() => sendHalfOpen(port, 'GET /test HTTP/1.1\r\n'));
  await until(connections, (count) => count === 3);
  const refused = once(app.server, 'drop');
  sendHalfOpen(port, '');
  await refused;
  for (const socket of held) socket.destroy();
  await allClosed();
  const answer = await answerOn(
    sendHalfOpen(port, 'GET /test HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
  );
  expect(answer).toContain('answer');
});
