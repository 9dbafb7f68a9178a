import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { PaymentService } from '../../../src/service';
import {
  accepting,
  cleanUp,
  client,
  giveToken,
  json,
  localService,
  reset,
  SESSION_ID,
  type Behaviour,
} from '../../support/service/local-service';

afterEach(cleanUp);

const completed: Behaviour = (response) => {
  json(response, 200, { status: 'Completed', statusDetails: 'EFT0301', amount: 25 });
};

/** Returns a clock that a test advances. */
function clock(): { now: () => number; advance: (ms: number) => void } {
  let nowMs = Date.UTC(2026, 0, 5);
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

const tokenWith =
  (rest: Record<string, unknown>): Behaviour =>
  (response, _received, count) => {
    json(response, 200, { access_token: `token-${count}`, ...rest });
  };

describe('the request for an access token', () => {
  test('uses Basic authentication in UTF-8 and the client credentials form', async () => {
    const service = await localService({});
    const account = { baseUrl: service.baseUrl, clientId: 'café', clientSecret: 's:€cret' };
    await client(service.baseUrl, { account }).authenticate();
    const [sent] = service.requests('/authorize');
    expect(sent?.headers.authorization).toBe(
      `Basic ${Buffer.from('café:s:€cret', 'utf8').toString('base64')}`,
    );
    expect(sent?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(sent?.body).toBe('grant_type=client_credentials');
  });

  test('is sent once for a hundred concurrent calls', async () => {
    const service = await localService({ '/details': completed });
    const payments = client(service.baseUrl);
    await Promise.all(Array.from({ length: 100 }, () => payments.sessionDetails(SESSION_ID)));
    expect(service.requests('/authorize')).toHaveLength(1);
    expect(service.requests('/details')).toHaveLength(100);
  });

  test('goes on for other calls if one waiting call is aborted', async () => {
    let answer = (): void => undefined;
    const service = await localService({
      '/authorize': (response, received, count) => {
        answer = () => {
          giveToken(response, received, count);
        };
      },
      '/details': completed,
    });
    const payments = client(service.baseUrl);
    const caller = new AbortController();
    const impatient = payments.sessionDetails(SESSION_ID, { signal: caller.signal });
    const patient = payments.sessionDetails(SESSION_ID);
    await service.arrived('/authorize');
    caller.abort();
    await expect(impatient).rejects.toMatchObject({ code: 'SERVICE_UNREACHABLE' });
    answer();
    await expect(patient).resolves.toMatchObject({ status: 'Completed' });
    expect(service.requests('/authorize')).toHaveLength(1);
  });

  test('is sent again by the next call after a failure', async () => {
    const service = await localService({
      '/authorize': (response, received, count) => {
        if (count === 1) json(response, 500, {});
        else giveToken(response, received, count);
      },
    });
    const payments = client(service.baseUrl);
    await expect(payments.authenticate()).rejects.toMatchObject({ code: 'SERVICE_FAILED' });
    await expect(payments.authenticate()).resolves.toBeUndefined();
  });
});

describe('the renewal of an access token', () => {
  test.each([
    ['begins a minute before 599 s without expires_in', {}, 539_000],
    ['begins a minute before expires_in', { expires_in: 1_000 }, 940_000],
    ['begins at half the lifetime of a token with a lifetime under two minutes', { expires_in: 30 }, 15_000],
  ])('%s', async (_name, rest, dueMs) => {
    const service = await localService({ '/authorize': tokenWith(rest) });
    const { now, advance } = clock();
    const payments = client(service.baseUrl, { now });
    await payments.authenticate();
    advance(dueMs - 1);
    await payments.authenticate();
    expect(service.requests('/authorize')).toHaveLength(1);
    advance(1);
    await payments.authenticate();
    await service.arrived('/authorize', 2);
    expect(service.requests('/authorize')).toHaveLength(2);
  });

  test.each<[string, Behaviour]>([
    [
      'fails',
      (response) => {
        json(response, 503, {});
      },
    ],
    [
      'is refused',
      (response) => {
        json(response, 401, {});
      },
    ],
    ['hangs', () => undefined],
  ])('%s, and calls use the old token until it expires', async (_name, behave) => {
    const service = await localService({
      '/authorize': (...args) => {
        (args[2] === 1 ? giveToken : behave)(...args);
      },
      '/details': accepting('token-1', completed),
    });
    const { now, advance } = clock();
    const payments = client(service.baseUrl, { now });
    await payments.authenticate();
    advance(598_999);
    const poll = (signal?: AbortSignal) => payments.sessionDetails(SESSION_ID, signal && { signal });
    await expect(poll()).resolves.toMatchObject({ status: 'Completed' });
    await expect(poll()).resolves.toMatchObject({ status: 'Completed' });
    await service.arrived('/authorize', 2);
    expect(service.requests('/authorize')).toHaveLength(2);
    advance(1);
    await expect(poll(AbortSignal.timeout(500))).rejects.toMatchObject({ name: 'ServiceError' });
  });

  test('is not repeated before the time in the service’s Retry-After is over', async () => {
    const service = await localService({
      '/authorize': (response, received, count) => {
        if (count !== 2) giveToken(response, received, count);
        else response.writeHead(503, { 'retry-after': '30' }).end();
      },
      '/details': completed,
    });
    const { now, advance } = clock();
    const payments = client(service.baseUrl, { now });
    await payments.authenticate();
    advance(540_000);
    await payments.sessionDetails(SESSION_ID);
    await service.arrived('/authorize', 2);
    // The renewal has ended when a later call is answered.
    await payments.sessionDetails(SESSION_ID);
    advance(29_999);
    await payments.sessionDetails(SESSION_ID);
    expect(service.requests('/authorize')).toHaveLength(2);
    advance(1);
    await payments.sessionDetails(SESSION_ID);
    await service.arrived('/authorize', 3);
  });

  test('is not begun by a call that is already stopped', async () => {
    const service = await localService({});
    const payments = client(service.baseUrl);
    const stopped = payments.sessionDetails(SESSION_ID, { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ name: 'ServiceError' });
    await payments.authenticate();
    expect(service.requests('/authorize')).toHaveLength(1);
  });

  test('follows a 401, and then the call is sent again', async () => {
    const service = await localService({ '/details': accepting('token-2', completed) });
    await expect(client(service.baseUrl).sessionDetails(SESSION_ID)).resolves.toEqual({
      status: 'Completed',
      code: 'EFT0301',
      amount: 25,
    });
    expect(service.requests('/authorize')).toHaveLength(2);
    expect(service.requests('/details')).toHaveLength(2);
  });

  test('does not follow a second 401: the call fails', async () => {
    const service = await localService({ '/details': accepting('never', completed) });
    await expect(client(service.baseUrl).sessionDetails(SESSION_ID)).rejects.toMatchObject({
      code: 'SERVICE_TOKEN_REJECTED',
      failure: { status: 401 },
    });
    expect(service.requests('/details')).toHaveLength(2);
  });

  test('happens once for concurrent 401s', async () => {
    const service = await localService({ '/details': accepting('token-2', completed) });
    const payments = client(service.baseUrl);
    await payments.authenticate();
    await Promise.all(Array.from({ length: 20 }, () => payments.sessionDetails(SESSION_ID)));
    expect(service.requests('/authorize')).toHaveLength(2);
  });

  test('does not follow a late 401 for an old token if there is a newer token', async () => {
    const late: (() => void)[] = [];
    const service = await localService({
      '/details': accepting('token-2', completed),
      '/cancel': (response, received, count) => {
        if (count > 1) completed(response, received, count);
        else late.push(() => void response.writeHead(401).end());
      },
    });
    const payments = client(service.baseUrl);
    const slow = payments.cancelSession(SESSION_ID);
    await service.arrived('/cancel');
    await payments.sessionDetails(SESSION_ID);
    late[0]?.();
    await expect(slow).resolves.toMatchObject({ status: 'Completed' });
    expect(service.requests('/authorize')).toHaveLength(2);
    expect(service.requests('/cancel').at(-1)?.headers.authorization).toBe('Bearer token-2');
  });
});

describe('while the payment service refuses', () => {
  const refuse: Behaviour = (response) => {
    json(response, 401, { title: 'Unauthorized' });
  };

  /** Polls every 100 ms for this time, by the given clock, and returns the errors. */
  async function pollFor(payments: PaymentService, { advance }: ReturnType<typeof clock>, ms: number) {
    const errors: unknown[] = [];
    for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += 100) {
      await payments.sessionDetails(SESSION_ID).catch((error: unknown) => errors.push(error));
      advance(100);
    }
    return errors;
  }

  test.each([
    ['the credentials', { '/authorize': refuse }, 'SERVICE_CREDENTIALS_REJECTED'],
    ['every fresh token', { '/details': refuse }, 'SERVICE_TOKEN_REJECTED'],
  ] as const)(
    '%s, token requests become rare, down to one a minute, and calls fail with the time of the next token request',
    async (_, behaviours, code) => {
      const service = await localService({ '/details': completed, ...behaviours });
      const time = clock();
      const payments = client(service.baseUrl, { now: time.now });
      const errors = await pollFor(payments, time, 15_000);
      expect(service.requests('/authorize').length).toBeLessThanOrEqual(6);
      expect(service.requests('/details').length).toBeLessThanOrEqual(6);
      expect(errors).toHaveLength(150);
      for (const error of errors) expect(error).toMatchObject({ code });
      expect(errors[1]).toMatchObject({ failure: { retryAfterMs: expect.any(Number) } });
      const before = service.requests('/authorize').length;
      await pollFor(payments, time, 300_000);
      expect(service.requests('/authorize').length - before).toBeLessThanOrEqual(7);
    },
  );

  test('the credentials, and then accepts them, calls succeed after the next token request', async () => {
    let isRefusing = true;
    const service = await localService({
      '/authorize': (...args) => {
        (isRefusing ? refuse : giveToken)(...args);
      },
      '/details': completed,
    });
    const time = clock();
    const payments = client(service.baseUrl, { now: time.now });
    await pollFor(payments, time, 2_500);
    isRefusing = false;
    time.advance(60_000);
    expect(await pollFor(payments, time, 500)).toEqual([]);
  });

  test('the credentials, calls of thirty sessions at the same time cause one token request', async () => {
    const service = await localService({ '/authorize': refuse });
    const payments = client(service.baseUrl, { now: clock().now });
    const polls = Array.from({ length: 30 }, () => payments.sessionDetails(SESSION_ID));
    await Promise.allSettled(polls);
    await expect(payments.cancelSession(SESSION_ID)).rejects.toMatchObject({
      code: 'SERVICE_CREDENTIALS_REJECTED',
    });
    expect(service.requests('/authorize')).toHaveLength(1);
  });
});

test('the error of a call does not contain the access token or the client secret', async () => {
  const service = await localService({
    '/authorize': (response) => {
      json(response, 200, { access_token: 'the-token' });
    },
    '/details': reset,
    '/cancel': (response) => {
      json(response, 401, {});
    },
  });
  const account = { baseUrl: service.baseUrl, clientId: 'the-client', clientSecret: 'the-secret' };
  const payments = client(service.baseUrl, { account });
  const errors = await Promise.all([
    payments.sessionDetails(SESSION_ID).catch((error: unknown) => error),
    payments.cancelSession(SESSION_ID).catch((error: unknown) => error),
  ]);
  for (const error of errors) {
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(/the-token|the-secret/);
  }
});
