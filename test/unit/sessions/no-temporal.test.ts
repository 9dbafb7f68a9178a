import { getEventListeners, once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection, makeGrpcRetryInterceptor } from '@temporalio/client';
import { PaymentSessions } from '../../../src';
import { eft } from '../../support/requests';

const input = { key: 'order-1042', request: eft() };

/** Calls that a web server may make while a browser waits. */
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

/** A server that accepts connections, but does not answer. */
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

  test('fail with TEMPORAL_UNAVAILABLE also if they are changes() or workersEncrypt()', async () => {
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

  test.each(NAMES)('such as %s() send nothing if the signal has already aborted', async (name) => {
    const sessions = new PaymentSessions(new Client({ connection }));
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(CALLS[name](sessions, { signal })).rejects.toThrow('gone');
  });
});

test('a call of PaymentSessions fails if the connection is closed while the call waits for a retry', async () => {
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

/** All calls that take options. */
const OPTIONAL: Readonly<Record<string, (sessions: PaymentSessions, options: object) => Promise<unknown>>> = {
  ...CALLS,
  startMany: async (sessions, options) => sessions.startMany([input], options)[Symbol.asyncIterator]().next(),
  cancel: (sessions, options) => sessions.get('order-1042').cancel(options),
  cancelAndWait: (sessions, options) => sessions.get('order-1042').cancelAndWait(options),
  recordReveal: (sessions, options) => sessions.get('order-1042').recordReveal(options),
  resolveCreate: (sessions, options) => sessions.get('order-1042').resolveCreate({ retry: true }, options),
  changes: (sessions, options) => sessions.get('order-1042').changes(options)[Symbol.asyncIterator]().next(),
};

const offline = (options?: object) =>
  new PaymentSessions(new Client({ connection: Connection.lazy() }), options);
const refusal = (message: string) => ({
  code: 'INVALID_INPUT',
  message: expect.stringContaining(`nothing was sent: ${message}`),
});

test.each([
  ['start', 'timeout', 'timeoutMs'],
  ['open', 'timeout', 'timeoutMs'],
  ['startMany', 'concurency', 'concurrency'],
  ['opened', 'waitForStrat', 'waitForStart'],
  ['state', 'timeout', 'timeoutMs'],
  ['refresh', 'requestID', 'requestId'],
  ['cancel', 'raeson', 'reason'],
  ['cancelAndWait', 'timeout', 'timeoutMs'],
  ['recordReveal', 'raeson', 'reason'],
  ['resolveCreate', 'raeson', 'reason'],
  ['changes', 'singal', 'signal'],
])('%s() refuses the misspelt option %s, and names %s', async (name, misspelt, meant) => {
  await expect(OPTIONAL[name]?.(offline(), { [misspelt]: 5_000 })).rejects.toMatchObject(
    refusal(`${misspelt} is not a field of the options; did you mean ${meant}?`),
  );
});

test('PaymentSessions refuses the misspelt option taskqueue, and names taskQueue', () => {
  expect(() => offline({ taskqueue: 'payments' })).toThrow(
    expect.objectContaining(refusal('taskqueue is not a field of the options; did you mean taskQueue?')),
  );
});

test.each(Object.keys(OPTIONAL))('%s() refuses options that are not an object', async (name) => {
  for (const wrong of [5_000, 'Sam', null])
    await expect(OPTIONAL[name]?.(offline(), wrong as unknown as object)).rejects.toMatchObject(
      refusal('the options must be an object'),
    );
});

test.each([
  ['open', { timeoutMs: 0 }],
  ['open', { timeoutMs: '5s' }],
  ['open', { signal: {} }],
  ['startMany', { concurrency: 0 }],
  ['startMany', { concurrency: '5' }],
  ['cancelAndWait', { timeoutMs: 0 }],
  ['cancelAndWait', { timeoutMs: '5s' }],
  ['recordReveal', { by: '' }],
  ['refresh', { requestId: '' }],
  ['resolveCreate', { requestId: 7 }],
  ['changes', { signal: {} }],
])('%s() refuses the options %j', async (name, options) => {
  await expect(OPTIONAL[name]?.(offline(), options)).rejects.toMatchObject(
    refusal(`${Object.keys(options).join()} must be`),
  );
});

test.each([{ openTimeoutMs: 0 }, { queryTimeoutMs: '5s' }, { taskQueue: 7 }])(
  'PaymentSessions refuses the options %j',
  (options) => {
    expect(() => offline(options)).toThrow(
      expect.objectContaining(refusal(`${Object.keys(options).join()} must be`)),
    );
  },
);

test('an unknown option is ignored if it is undefined', async () => {
  const options = { timeout: undefined, signal: AbortSignal.abort(new Error('gone')) };
  await expect(offline({ taskqueue: undefined }).open(input, options as object)).rejects.toThrow('gone');
});

test('an option of PaymentSessions has its default if it is undefined', async () => {
  const client = new Client({ connection: Connection.lazy() });
  client.withDeadline = (deadline) => Promise.reject(new Error(`within ${Number(deadline) - Date.now()} ms`));
  const sessions = new PaymentSessions(client, { queryTimeoutMs: undefined } as object);
  await expect(sessions.workersEncrypt()).rejects.toThrow(/^within (9\d{3}|10000) ms$/);
});
