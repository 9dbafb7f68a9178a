import { afterEach, describe, expect, test } from '@jest/globals';
import { MAX_JSON_DEPTH, type SessionRequest } from '../../../../src/contract';
import { eft } from '../../../support/requests';
import {
  cleanUp,
  client,
  created,
  json,
  judged,
  localService,
  SESSION_ID,
  truncate,
  type Behaviour,
} from '../../../support/service/local-service';

afterEach(cleanUp);

const withStatus =
  (status: number): Behaviour =>
  (response) => {
    json(response, status, { title: 'as asked' });
  };

/** Returns the JSON of an answer with a session id. The JSON is nested this many levels deep. */
const deep = (levels: number) =>
  `{"sessionId":"${SESSION_ID}","extra":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

describe('a create request that succeeds', () => {
  test('returns the session id, the reference, and the checkout URL under the base URL', async () => {
    const service = await localService({ '/sessions': created });
    const payments = client(`${service.baseUrl}/pay/`);
    await expect(payments.createSession(eft('order-7'))).resolves.toEqual({
      outcome: 'created',
      sessionId: SESSION_ID,
      referenceId: 'order-7',
      checkoutUrl: `${service.baseUrl}/pay/app/?sessionId=${SESSION_ID}`,
    });
    expect(service.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /pay/api/v1/authorize',
      'POST /pay/api/v2/sessions',
    ]);
  });

  test('contains the session’s request unchanged, and the token', async () => {
    const service = await localService({ '/sessions': created });
    const request = eft('order-7');
    await client(service.baseUrl).createSession(request);
    const [sent] = service.requests('/sessions');
    expect(JSON.parse(sent?.body ?? '')).toEqual(request);
    expect(sent?.headers).toMatchObject({
      authorization: 'Bearer token-1',
      'content-type': 'application/json',
    });
  });

  test('may be answered with any status 2xx and a session id', async () => {
    const service = await localService({
      '/sessions': (response) => {
        json(response, 200, { sessionId: SESSION_ID });
      },
    });
    const outcome = await client(service.baseUrl).createSession(eft());
    expect(outcome).toMatchObject({ outcome: 'created', sessionId: SESSION_ID, referenceId: null });
  });
});

describe('a session’s request', () => {
  const nested = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown>((inner) => [inner], 'end');
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;

  test.each([
    ['is nested too deeply', nested(MAX_JSON_DEPTH)],
    ['is nested so deeply that it would overflow the stack', nested(20_000)],
    ['is cyclic', cyclic],
    ['contains a bigint', 1n],
  ])('that %s is invalid, and nothing is sent', async (_name, extra) => {
    const service = await localService({ '/sessions': created });
    const request = { ...eft(), extra } as SessionRequest;
    await expect(client(service.baseUrl).createSession(request)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      failures: [{ path: 'request' }],
    });
    expect(service.received).toEqual([]);
  });

  test('that is nested to the limit is sent', async () => {
    const service = await localService({ '/sessions': created });
    const request = { ...eft(), extra: nested(MAX_JSON_DEPTH - 1) } as SessionRequest;
    expect(judged(await client(service.baseUrl).createSession(request))).toEqual(['created']);
  });
});

describe('the answer to a create request', () => {
  test.each([
    ['another reference', 'order-8'],
    ['a reference that was not sent', undefined],
  ])('that repeats %s is about another payment, so the outcome is unknown', async (_what, sent) => {
    const service = await localService({
      '/sessions': (response) => {
        json(response, 201, { sessionId: SESSION_ID, referenceId: 'order-7' });
      },
    });
    const outcome = await client(service.baseUrl).createSession(eft(sent));
    expect(outcome).toMatchObject({ outcome: 'unknown', failure: { code: 'SERVICE_WRONG_SESSION' } });
  });

  test.each([
    [400, 'rejected', 'SERVICE_REQUEST_REJECTED'],
    [403, 'rejected', 'SERVICE_FORBIDDEN'],
    [404, 'rejected', 'SERVICE_REQUEST_REJECTED'],
    [409, 'rejected', 'SERVICE_REQUEST_REJECTED'],
    [413, 'rejected', 'SERVICE_REQUEST_REJECTED'],
    [422, 'rejected', 'SERVICE_REQUEST_REJECTED'],
    [408, 'unknown', 'SERVICE_INTERRUPTED'],
    [429, 'notSent', 'SERVICE_RATE_LIMITED'],
    [303, 'unknown', 'SERVICE_FAILED'],
    [500, 'unknown', 'SERVICE_FAILED'],
    [503, 'unknown', 'SERVICE_FAILED'],
  ])('with the HTTP status %i means %s, and the request is sent only once', async (status, outcome, code) => {
    const service = await localService({ '/sessions': withStatus(status) });
    const result = await client(service.baseUrl).createSession(eft());
    expect(result).toMatchObject({ outcome, failure: { code, status } });
    expect(service.requests('/sessions')).toHaveLength(1);
  });

  test.each([
    ['HTML', '<html>It works</html>'],
    ['an empty body', ''],
    ['no session id', '{}'],
    ['a session id that cannot be part of a URL', '{"sessionId":".."}'],
    ['a session id with half a surrogate pair', '{"sessionId":"\\ud800"}'],
    ['JSON that is nested too deeply', deep(MAX_JSON_DEPTH + 1)],
    ['JSON that is nested very deeply', deep(20_000)],
    ['a huge body', `{"sessionId":"${SESSION_ID}","pad":"${'x'.repeat(300_000)}"}`],
  ])('with the HTTP status 201 and %s leaves the outcome unknown', async (_name, body) => {
    const service = await localService({
      '/sessions': (response) => void response.writeHead(201).end(body),
    });
    const outcome = await client(service.baseUrl).createSession(eft());
    expect(judged(outcome)).toEqual(['unknown', 'SERVICE_UNREADABLE']);
  });

  test('with the HTTP status 400 is a refusal, even if the body is cut off', async () => {
    const service = await localService({ '/sessions': truncate(400) });
    const outcome = await client(service.baseUrl).createSession(eft());
    expect(judged(outcome)).toEqual(['rejected', 'SERVICE_REQUEST_REJECTED']);
  });

  test('is not followed if it redirects to another origin', async () => {
    const elsewhere = await localService({ '/sessions': created });
    const service = await localService({
      '/sessions': (response) => {
        response.writeHead(307, { location: `${elsewhere.baseUrl}/api/v2/sessions` }).end();
      },
    });
    const outcome = await client(service.baseUrl).createSession(eft());
    expect(judged(outcome)).toEqual(['unknown', 'SERVICE_FAILED']);
    expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('base URL redirects') } });
    expect(elsewhere.received).toEqual([]);
  });
});
