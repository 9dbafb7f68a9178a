import { createServer as createTcpServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import { MAX_JSON_DEPTH } from '../../../src/contract';
import type { PaymentService } from '../../../src/service';
import {
  cleanUp,
  client,
  json,
  listen,
  localService,
  reset,
  SESSION_ID,
  truncate,
  type Behaviour,
} from '../../support/service/local-service';

afterEach(cleanUp);

const cancelled: Behaviour = (response) => {
  json(response, 200, { sessionId: SESSION_ID, status: 'Cancelled', statusDetails: 'EFT0501', amount: null });
};

const answering =
  (status: number, body: string, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** Returns the JSON of an answer about a session. The JSON is nested this many levels deep. */
const deep = (levels: number) =>
  `{"status":"Completed","extra":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

type SessionCall = (payments: PaymentService, sessionId: string) => Promise<unknown>;

const CALLS: [path: string, call: SessionCall][] = [
  ['/details', (payments, sessionId) => payments.sessionDetails(sessionId)],
  ['/cancel', (payments, sessionId) => payments.cancelSession(sessionId)],
];

describe.each(CALLS)('the client’s call of %s', (path, call) => {
  test('reads the status and the code, and ignores an amount of null', async () => {
    const service = await localService({ [path]: cancelled });
    await expect(call(client(service.baseUrl), SESSION_ID)).resolves.toEqual({
      status: 'Cancelled',
      code: 'EFT0501',
    });
  });

  test.each([
    ['a/b?c=d', 'a%2Fb%3Fc%3Dd'],
    ['é #', '%C3%A9%20%23'],
  ])('encodes the session id %p', async (sessionId, encoded) => {
    const service = await localService({
      [path]: (response) => {
        json(response, 200, { sessionId, status: 'Cancelled' });
      },
    });
    await call(client(service.baseUrl), sessionId);
    expect(service.requests(path)[0]?.path).toBe(`/api/v2/sessions/${encoded}${path}`);
  });

  test.each(['', '.', '..', '\ud800'])('sends nothing for the session id %p', async (sessionId) => {
    const service = await localService({ [path]: cancelled });
    await expect(call(client(service.baseUrl), sessionId)).rejects.toMatchObject({
      code: 'SERVICE_SESSION_UNKNOWN',
    });
    expect(service.received).toEqual([]);
  });

  test.each([
    [400, 'SERVICE_REQUEST_REJECTED'],
    [403, 'SERVICE_FORBIDDEN'],
    [404, 'SERVICE_SESSION_UNKNOWN'],
    [408, 'SERVICE_INTERRUPTED'],
    [409, 'SERVICE_REQUEST_REJECTED'],
    [422, 'SERVICE_REQUEST_REJECTED'],
    [429, 'SERVICE_RATE_LIMITED'],
    [302, 'SERVICE_FAILED'],
    [500, 'SERVICE_FAILED'],
  ])('fails on the HTTP status %i with %s', async (status, code) => {
    const service = await localService({ [path]: answering(status, '{"title":"No"}') });
    await expect(call(client(service.baseUrl), SESSION_ID)).rejects.toMatchObject({
      name: 'ServiceError',
      code,
      failure: { code, status },
    });
    expect(service.requests(path)).toHaveLength(1);
  });

  test.each([
    ['a reset', reset, 'SERVICE_INTERRUPTED'],
    ['a truncated body', truncate(200), 'SERVICE_INTERRUPTED'],
    ['HTML', answering(200, '<html></html>'), 'SERVICE_UNREADABLE'],
    ['an empty body', answering(200, ''), 'SERVICE_UNREADABLE'],
    ['JSON that is nested too deeply', answering(200, deep(MAX_JSON_DEPTH + 1)), 'SERVICE_UNREADABLE'],
    ['JSON that is nested very deeply', answering(200, deep(100_000)), 'SERVICE_UNREADABLE'],
    ['no status', answering(200, '{"amount":5}'), 'SERVICE_UNREADABLE'],
  ])('fails on %s', async (_name, behaviour, code) => {
    const service = await localService({ [path]: behaviour });
    const payments = client(service.baseUrl, { headersTimeoutMs: 200 });
    await expect(call(payments, SESSION_ID)).rejects.toMatchObject({ code });
  });
});

test('a call fails with SERVICE_UNREACHABLE if the connection is refused', async () => {
  const service = await localService({});
  await service.stop();
  await expect(client(service.baseUrl).sessionDetails(SESSION_ID)).rejects.toMatchObject({
    code: 'SERVICE_UNREACHABLE',
  });
});

test('a call fails with SERVICE_INTERRUPTED if the answer is not HTTP, and the error does not contain the answer', async () => {
  const baseUrl = await listen(
    createTcpServer((socket) => {
      socket.once('data', () => socket.end('Avery Tremblay, account 1234567\r\n\r\n'));
    }),
  );
  const error: unknown = await client(baseUrl)
    .sessionDetails(SESSION_ID)
    .catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: 'SERVICE_INTERRUPTED',
    message: expect.stringContaining('no answer came (HTTPParserError)'),
  });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('Tremblay');
});
