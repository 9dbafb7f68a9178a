import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { eft } from '../../../support/requests';
import {
  cleanUp,
  client,
  created,
  hang,
  judged,
  listen,
  localService,
  reset,
  truncate,
  type Behaviour,
} from '../../../support/service/local-service';

afterEach(cleanUp);

describe('a create request has an unknown outcome and is not sent again', () => {
  test.each([
    ['a reset', reset],
    ['a truncated body', truncate(201)],
  ] as [string, Behaviour][])('after %s', async (_name, behaviour) => {
    const service = await localService({ '/sessions': behaviour });
    const payments = client(service.baseUrl);
    expect(judged(await payments.createSession(eft()))).toEqual(['unknown', 'SERVICE_INTERRUPTED']);
    expect(service.requests('/sessions')).toHaveLength(1);
  });

  test.each([
    ['that is not HTTP', 'Hello\r\n\r\n'],
    ['with a header that cannot be read', 'HTTP/1.1 201 Created\r\nno colon\r\n\r\n{}'],
    ['with two lengths', 'HTTP/1.1 201 Created\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
    ['with headers that are too long', `HTTP/1.1 201 Created\r\nfiller: ${'x'.repeat(100_000)}\r\n\r\n{}`],
  ])('after an answer %s', async (_name, answer) => {
    const service = await localService({
      '/sessions': (response) => response.socket?.end(answer),
    });
    expect(judged(await client(service.baseUrl).createSession(eft()))).toEqual([
      'unknown',
      'SERVICE_INTERRUPTED',
    ]);
    expect(service.requests('/sessions')).toHaveLength(1);
  });

  test('after the timeout of the whole call', async () => {
    const service = await localService({ '/sessions': hang });
    // Long enough for a busy machine to send the request.
    const payments = client(service.baseUrl, { callTimeoutMs: 2_000 });
    const outcome = await payments.createSession(eft());
    expect(outcome).toMatchObject({
      outcome: 'unknown',
      failure: { code: 'SERVICE_INTERRUPTED', message: expect.stringContaining('CALL_TIMEOUT') },
    });
  });

  test('after the caller has aborted the call', async () => {
    const service = await localService({ '/sessions': hang });
    const caller = new AbortController();
    const outcome = client(service.baseUrl).createSession(eft(), { signal: caller.signal });
    await service.arrived('/sessions');
    caller.abort();
    expect(judged(await outcome)).toEqual(['unknown', 'SERVICE_INTERRUPTED']);
  });

  test('after a reset at the first bytes of the request', async () => {
    const token = '{"access_token":"token"}';
    const replies: ((socket: Socket) => void)[] = [
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${token}`),
      (socket) => socket.resetAndDestroy(),
    ];
    const server = createTcpServer((socket) => {
      const reply = replies.shift();
      socket.once('data', () => reply?.(socket));
    });
    const outcome = await client(await listen(server)).createSession(eft());
    expect(judged(outcome)).toEqual(['unknown', 'SERVICE_INTERRUPTED']);
    expect(replies).toEqual([]);
  });
});

describe('a create request counts as not sent', () => {
  test('if the connection is refused', async () => {
    const service = await localService({});
    const payments = client(service.baseUrl);
    await payments.authenticate();
    await service.stop();
    const outcome = await payments.createSession(eft());
    expect(judged(outcome)).toEqual(['notSent', 'SERVICE_UNREACHABLE']);
    expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('ECONNREFUSED') } });
  });

  test('if the service’s name does not resolve', async () => {
    const payments = client('http://payments.invalid');
    expect(judged(await payments.createSession(eft()))).toEqual(['notSent', 'SERVICE_UNREACHABLE']);
  });

  test('if the caller aborts the call while the connection is made', async () => {
    const server = createTcpServer();
    const silent = await listen(server);
    const caller = new AbortController();
    const payments = client(silent.replace('http:', 'https:'));
    const outcome = payments.createSession(eft(), { signal: caller.signal });
    await once(server, 'connection');
    caller.abort();
    expect(judged(await outcome)).toEqual(['notSent', 'SERVICE_UNREACHABLE']);
  });

  test('if the caller has aborted the call before', async () => {
    const service = await localService({ '/sessions': created });
    const outcome = await client(service.baseUrl).createSession(eft(), { signal: AbortSignal.abort() });
    expect(judged(outcome)).toEqual(['notSent', 'SERVICE_UNREACHABLE']);
    expect(service.received).toEqual([]);
  });

  test('if the caller aborts the call while all connections are busy', async () => {
    const held: (() => void)[] = [];
    const service = await localService({
      '/sessions': (response, received, count) => {
        held.push(() => {
          created(response, received, count);
        });
      },
    });
    let connections = 0;
    service.server.on('connection', () => {
      connections += 1;
    });
    const payments = client(service.baseUrl, { maxConnections: 1, spareConnections: 0 });
    await payments.authenticate();
    const running = payments.createSession(eft('first'));
    await service.arrived('/sessions');
    const caller = new AbortController();
    const queued = payments.createSession(eft('second'), { signal: caller.signal });
    const last = payments.createSession(eft('third'));
    // Both calls now have their token, and wait for a connection.
    await setImmediate();
    caller.abort();
    expect(judged(await queued)).toEqual(['notSent', 'SERVICE_UNREACHABLE']);
    held[0]?.();
    await service.arrived('/sessions', 2);
    held[1]?.();
    expect([judged(await running), judged(await last)]).toEqual([['created'], ['created']]);
    expect(service.requests('/sessions').map(({ body }) => referenceOf(body))).toEqual(['first', 'third']);
    expect(connections).toBe(1);
  });

  test('if the client is closed', async () => {
    const service = await localService({ '/sessions': created });
    const payments = client(service.baseUrl);
    await payments.authenticate();
    await payments.close();
    expect(judged(await payments.createSession(eft()))).toEqual(['notSent', 'SERVICE_UNREACHABLE']);
  });
});

const referenceOf = (body: string): unknown => (JSON.parse(body) as { referenceId?: unknown }).referenceId;

test('if one signal aborts many create requests, only the requests that were sent have an unknown outcome', async () => {
  const service = await localService({ '/sessions': hang });
  const payments = client(service.baseUrl, { maxConnections: 3, spareConnections: 0 });
  await payments.authenticate();
  const caller = new AbortController();
  const outcomes = Array.from({ length: 10 }, () => payments.createSession(eft(), { signal: caller.signal }));
  await service.arrived('/sessions', 3);
  caller.abort();
  const names = (await Promise.all(outcomes)).map(({ outcome }) => outcome);
  expect(names).toEqual([...Array<string>(3).fill('unknown'), ...Array<string>(7).fill('notSent')]);
});

test('a call that waits for its connection counts as not sent, even if another call is sent meanwhile', async () => {
  const server = createTcpServer();
  const silent = await listen(server);
  const caller = new AbortController();
  const waiting = client(silent.replace('http:', 'https:'), { connectTimeoutMs: 600_000 }).sessionDetails(
    'any',
    {
      signal: caller.signal,
    },
  );
  await once(server, 'connection');
  const service = await localService({ '/sessions': created });
  expect(judged(await client(service.baseUrl).createSession(eft()))).toEqual(['created']);
  caller.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' });
});

describe('a connection that the payment service closes', () => {
  test('is not used for the next create request', async () => {
    const service = await localService({ '/sessions': created });
    const payments = client(service.baseUrl);
    const connected = once(service.server, 'connection') as Promise<[Socket]>;
    await payments.authenticate();
    const [socket] = await connected;
    socket.end();
    await once(socket, 'close');
    expect(judged(await payments.createSession(eft()))).toEqual(['created']);
  });

  test('during a create request makes the outcome unknown, and the request is not sent again', async () => {
    const service = await localService({ '/sessions': (response) => response.socket?.end() });
    const payments = client(service.baseUrl);
    await payments.authenticate();
    expect(judged(await payments.createSession(eft()))).toEqual(['unknown', 'SERVICE_INTERRUPTED']);
    expect(service.requests('/sessions')).toHaveLength(1);
  });
});
