import { getEventListeners, once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection, makeGrpcRetryInterceptor } from '@temporalio/client';
import { PaymentSessions } from '../../../src';
import { eft } from '../../support/requests';

const input = { key: 'order-1042', request: eft() };

/** Calls that a web page's request may wait for. */
const CALLS = {
  start: (sessions: PaymentSessions, options: object) => sessions.start(input, options),
  open: (sessions: PaymentSessions, options: object) => sessions.open(input, options),
  state: (sessions: PaymentSessions, options: object) => sessions.get('order-1042').state(options),
  refresh: (sessions: PaymentSessions, options: object) => sessions.get('order-1042').refresh(options),
  opened: (sessions: PaymentSessions, options: object) => sessions.get('order-1042').opened(options),
} as const;
const NAMES = Object.keys(CALLS) as (keyof typeof CALLS)[];

const HOUR_MS = 3_600_000;
const NO_LIMITS = {
  startTimeoutMs: HOUR_MS,
  openTimeoutMs: HOUR_MS,
  queryTimeoutMs: HOUR_MS,
  refreshTimeoutMs: HOUR_MS,
};

/** A server that accepts connections and never answers. */
const sockets = new Set<Socket>();
const silent: Server = createServer((socket) => {
  sockets.add(socket);
});
let connection: Connection;

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await once(silent.close(), 'close');
});

describe.each([
  { where: 'a port that refuses connections', listens: false },
  { where: 'a server that does not answer', listens: true },
])('calls of PaymentSessions to $where', ({ listens }) => {
  beforeAll(async () => {
    if (!silent.listening) await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    connection = Connection.lazy({ address: `127.0.0.1:${listens ? port : 1}` });
  });
  afterAll(() => connection.close());

  test('fail with TEMPORAL_UNAVAILABLE after their timeout', async () => {
    // Only a call's own `timeoutMs` can end it.
    const sessions = new PaymentSessions(new Client({ connection }), NO_LIMITS);
    const calls = NAMES.map((name) => CALLS[name](sessions, { timeoutMs: 300 }));
    const failures = await Promise.all(calls.map((call) => call.then(String, (error: unknown) => error)));
    expect(failures).toMatchObject(NAMES.map(() => ({ code: 'TEMPORAL_UNAVAILABLE' })));
  });

  test('fail with TEMPORAL_UNAVAILABLE in changes() and workersEncrypt(), too', async () => {
    const sessions = new PaymentSessions(new Client({ connection }), { queryTimeoutMs: 300 });
    const changes = sessions.get('order-1042').changes()[Symbol.asyncIterator]();
    const calls: Promise<unknown>[] = [changes.next(), sessions.workersEncrypt()];
    const failures = await Promise.all(calls.map((call) => call.catch((error: unknown) => error)));
    expect(failures).toMatchObject(calls.map(() => ({ code: 'TEMPORAL_UNAVAILABLE' })));
  });

  test('fail with the reason of the signal that aborts them', async () => {
    const sessions = new PaymentSessions(new Client({ connection }));
    const leaving = new AbortController();
    const calls = NAMES.map((name) => CALLS[name](sessions, { signal: leaving.signal }));
    setTimeout(() => {
      leaving.abort(new Error('the customer left'));
    }, 50);
    for (const call of calls) await expect(call).rejects.toThrow('the customer left');
    expect(getEventListeners(leaving.signal, 'abort')).toEqual([]);
  });

  test.each(NAMES)('%s() send nothing if the signal has already aborted', async (name) => {
    const sessions = new PaymentSessions(new Client({ connection }));
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(CALLS[name](sessions, { signal })).rejects.toThrow('gone');
  });
});

test('a call of PaymentSessions ends if the connection is closed while the call waits for a retry', async () => {
  const retry = makeGrpcRetryInterceptor({
    retryableDecider: (attempt) => attempt === 1,
    delayFunction: () => {
      void closing.close();
      return 0;
    },
  });
  const closing = Connection.lazy({ address: '127.0.0.1:1', interceptors: [retry] });
  const sessions = new PaymentSessions(new Client({ connection: closing }));
  await expect(sessions.start(input)).rejects.toMatchObject({ code: 'TEMPORAL_UNAVAILABLE' });
});

test.each([{ timeoutMs: 0 }, { timeoutMs: '5s' }, { signal: {} }])(
  'open() refuses the options %j',
  async (options) => {
    const sessions = new PaymentSessions(new Client({ connection: Connection.lazy() }));
    await expect(sessions.open(input, options as object)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  },
);

test.each([{ timeoutMs: 0 }, { timeoutMs: '5s' }])(
  'cancelAndWait() refuses the options %j',
  async (options) => {
    const sessions = new PaymentSessions(new Client({ connection: Connection.lazy() }));
    await expect(sessions.get('order-1042').cancelAndWait(options as object)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('nothing was sent'),
    });
  },
);

test('an option of PaymentSessions that is undefined has its default', async () => {
  const client = new Client({ connection: Connection.lazy() });
  client.withDeadline = (deadline) => Promise.reject(new Error(`within ${Number(deadline) - Date.now()} ms`));
  const sessions = new PaymentSessions(client, { queryTimeoutMs: undefined } as object);
  await expect(sessions.workersEncrypt()).rejects.toThrow(/^within (9\d{3}|10000) ms$/);
});
