import { afterEach, describe, expect, test } from '@jest/globals';
import { ServiceError, type ServiceFailure } from '../../../src/errors';
import type { PaymentServiceOptions } from '../../../src/service';
import { endless } from '../../support/service/endless-answer';
import {
  cleanUp,
  client,
  localService,
  SESSION_ID,
  truncate,
  type Behaviour,
} from '../../support/service/local-service';

afterEach(cleanUp);

const NOW_MS = Date.UTC(2026, 0, 5, 12, 0, 0);

async function failureFrom(
  behaviour: Behaviour,
  options: Partial<PaymentServiceOptions> = {},
): Promise<ServiceFailure> {
  const service = await localService({ '/details': behaviour });
  const payments = client(service.baseUrl, { now: () => NOW_MS, ...options });
  const error: unknown = await payments.sessionDetails(SESSION_ID).catch((caught: unknown) => caught);
  if (error instanceof ServiceError) return error.failure;
  throw new Error('the call did not fail with a ServiceError', { cause: error });
}

const problem =
  (status: number, body: unknown): Behaviour =>
  (response) => {
    response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  };

describe('the problem details of the payment service’s answer', () => {
  test('are part of the failure', async () => {
    const details = {
      type: 'https://example.com/problems/validation',
      title: 'Bad Request',
      status: 400,
      detail: 'city is missing',
      errors: { 'payor.address.city': ['is required'] },
    };
    expect((await failureFrom(problem(400, details))).problem).toEqual(details);
  });

  test.each([
    ['HTML', '<html><h1>Bad gateway</h1></html>'],
    ['an empty body', ''],
    ['an array', '[1]'],
    ['half of an object', '{"title":'],
  ])('are missing from the failure if the body is %s', async (_name, body) => {
    const failure = await failureFrom(problem(502, body));
    expect(failure).toMatchObject({ code: 'SERVICE_FAILED', status: 502 });
    expect(failure).not.toHaveProperty('problem');
  });

  test('are missing from the failure if the body is cut off', async () => {
    const failure = await failureFrom(truncate(409));
    expect(failure).toMatchObject({ code: 'SERVICE_REQUEST_REJECTED', status: 409 });
    expect(failure).not.toHaveProperty('problem');
  });

  test('are shortened to limits of length and number', async () => {
    const errors = Object.fromEntries(
      Array.from({ length: 40 }, (_unused, at) => [`field${at}`, Array<string>(5).fill('x'.repeat(1_000))]),
    );
    const { problem: kept } = await failureFrom(problem(400, { detail: 'é'.repeat(5_000), errors }));
    expect(kept?.detail).toHaveLength(500);
    expect(Object.keys(kept?.errors ?? {})).toHaveLength(20);
    expect(JSON.stringify(kept).length).toBeLessThan(40_000);
  });

  test('are cut between characters', async () => {
    const { problem: kept } = await failureFrom(problem(400, { detail: '😀'.repeat(400) }));
    expect(kept?.detail).toMatch(/^(?:😀)+…$/u);
  });

  test('are not in the message, because they may repeat personal data', async () => {
    const failure = await failureFrom(problem(400, { detail: 'avery@example.com is no email' }));
    expect(failure.message).not.toContain('avery');
  });
});

describe('the header Retry-After of the payment service', () => {
  const retryAfter =
    (status: number, value: string): Behaviour =>
    (response) => {
      response.writeHead(status, { 'retry-after': value }).end();
    };
  const after = (seconds: number) => new Date(NOW_MS + seconds * 1_000).toUTCString();

  test.each([
    [429, '7', 7_000],
    [429, '0', 0],
    [429, after(90), 90_000],
    [503, '120', 120_000],
    [429, '900', 900_000],
    [429, '901', 900_000],
    [429, '9'.repeat(400), 900_000],
    [429, after(86_400 * 365), 900_000],
  ])('with a %i and the value %p means %p ms', async (status, value, retryAfterMs) => {
    await expect(failureFrom(retryAfter(status, value))).resolves.toMatchObject({ status, retryAfterMs });
  });

  test('means at most the longest wait that the options allow', async () => {
    const longest = { longestRetryAfterMs: 60_000 };
    expect(await failureFrom(retryAfter(429, '61'), longest)).toMatchObject({ retryAfterMs: 60_000 });
    expect(await failureFrom(retryAfter(503, '59'), longest)).toMatchObject({ retryAfterMs: 59_000 });
  });

  test.each([
    [429, '-5'],
    [429, 'soon'],
    [429, '1.5'],
    [429, ''],
    [429, after(-60)],
    [429, 'Mon, nonsense GMT'],
    [429, 'Sun, 30 Feb 2400 00:00:00 GMT'],
    [429, '2030-01-01T00:00:00Z'],
    [500, '7'],
    [400, '7'],
  ])('with a %i and the value %p is ignored', async (status, value) => {
    expect(await failureFrom(retryAfter(status, value))).not.toHaveProperty('retryAfterMs');
  });
});

describe('an answer of the payment service with a huge body', () => {
  test('is unreadable if its status is a success, and its connection is closed', async () => {
    let closed: Promise<unknown> | undefined;
    const service = await localService({
      '/details': (response) => {
        closed = new Promise((resolve) => response.socket?.once('close', resolve));
        response.writeHead(200);
        const more = (): void => {
          while (!response.destroyed && response.write('x'.repeat(16_384)));
          response.once('drain', more);
        };
        more();
      },
    });
    const payments = client(service.baseUrl, { maxResponseBytes: 1_000 });
    await expect(payments.sessionDetails(SESSION_ID)).rejects.toMatchObject({ code: 'SERVICE_UNREADABLE' });
    expect(closed).toBeDefined();
    await closed;
  });

  test('is judged by its status if the status is an error', async () => {
    const failure = await failureFrom(problem(404, 'x'.repeat(300_000)));
    expect(failure).toMatchObject({ code: 'SERVICE_SESSION_UNKNOWN', status: 404 });
  });

  test('is read if the body has exactly the maximum length', async () => {
    const body = JSON.stringify({ status: 'Expired', padding: ' '.repeat(1_000) });
    const service = await localService({ '/details': (response) => void response.end(body) });
    const payments = client(service.baseUrl, { maxResponseBytes: body.length });
    await expect(payments.sessionDetails(SESSION_ID)).resolves.toEqual({ status: 'Expired' });
  });
});

test('the message of a failed call to the payment service says what happened and what to do', async () => {
  const { message } = await failureFrom(problem(404, {}));
  expect(message).toBe(
    'Reading the session failed: the service answered 404. The payment service does not know the ' +
      'session (404). Check that the account and the base URL are the ones it was opened with.',
  );
});

test.each([
  ['with interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
  ['within one chunk’s extension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'],
])(
  'an endless answer of the payment service, %s, fails because of its size, before the timeout',
  async (_what, start, more) => {
    const { answer } = endless(start, more);
    const failure = await failureFrom(({ socket }) => {
      if (socket !== null) answer(socket);
    });
    expect(failure).not.toMatchObject({ code: 'SERVICE_TIMEOUT' });
    expect(JSON.stringify(failure)).toContain('ANSWER_TOO_LARGE');
  },
);
