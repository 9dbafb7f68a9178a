import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_CLIENT } from '../../sandbox';
import { anotherClient, eft, expectProblem, startService, type Service } from './support';

/** What the sandbox answers to bytes that need not be HTTP. */
async function sendRaw(service: Service, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(service.sandbox.url).port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('problem details', () => {
  test('A70 every problem has its type, title, status and detail, and no instance', async () => {
    const service = await startService();
    const answer = await service.send('/nowhere');
    expectProblem(answer, 404);
    expect(answer.body).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no such path.',
    });
  });

  test.each([
    ['PUT', '/api/v2/sessions', 'POST'],
    ['GET', '/api/v1/authorize', 'POST'],
    ['DELETE', '/api/v2/sessions/x/details', 'GET, HEAD'],
    ['OPTIONS', '/api/v2/sessions/x/cancel', 'POST'],
    ['PROPFIND', '/app/', 'GET, HEAD, POST'],
    ['QUERY', '/healthz', 'GET, HEAD'],
  ])('A70 %s %s is answered 405 with Allow: %s', async (method, path, allow) => {
    const answer = await (await startService()).send(path, { method });
    expectProblem(answer, 405);
    expect(answer.headers['allow']).toBe(allow);
  });

  test('A70 what is not HTTP is answered with problem details too', async () => {
    const answer = await sendRaw(await startService(), 'hello\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('"status":400');
  });

  test('A70 headers that are too large are answered 431', async () => {
    const service = await startService();
    const answer = await sendRaw(
      service,
      `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('the rate limit', () => {
  test('A71 is off by default', async () => {
    const service = await startService();
    const answers = await Promise.all(Array.from({ length: 50 }, () => service.authorize()));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test('A71 answers 429 with Retry-After in seconds until the window is over', async () => {
    const service = await startService({ rateLimitRequests: 2, rateLimitWindowMs: 10_000 });
    for (let count = 0; count < 2; count += 1) expect((await service.authorize()).status).toBe(200);
    service.clock.advance(2_500);
    const answer = await service.authorize();
    expectProblem(answer, 429);
    expect(answer.headers['retry-after']).toBe('8');
    service.clock.advance(7_500);
    expect((await service.authorize()).status).toBe(200);
  });

  test('A71 gives Retry-After as an HTTP date by option', async () => {
    const service = await startService({
      rateLimitRequests: 1,
      rateLimitWindowMs: 10_000,
      retryAfterForm: 'http-date',
    });
    await service.authorize();
    expect((await service.authorize()).headers['retry-after']).toBe('Thu, 01 Jan 2026 00:00:10 GMT');
  });

  test('A71 is each client’s own', async () => {
    const other = anotherClient();
    const service = await startService({ clients: [DEFAULT_CLIENT, other], rateLimitRequests: 1 });
    await service.token();
    expectProblem(await service.authorize(), 429);
    expect(await service.token(other)).not.toBe('');
  });
});

describe('the number of sessions', () => {
  test('the session that ended first gives way', async () => {
    const service = await startService({ maxSessions: 2 });
    const [first, second] = [await service.open(eft()), await service.open(eft())];
    await service.cancel(second);
    const third = await service.open(eft());
    const statuses = [first, second, third].map(async (id) => (await service.details(id)).status);
    expect(await Promise.all(statuses)).toEqual([200, 404, 200]);
  });

  test('one that waits for its signature gives way only when there is no other', async () => {
    const service = await startService({ maxSessions: 2 });
    const [waiting, cancelled] = [await service.open(eft()), await service.open(eft())];
    service.sandbox.act(waiting, 'bankValidated');
    await service.cancel(cancelled);
    await service.open(eft());
    expect(service.sandbox.session(cancelled)).toBeUndefined();
    expect(service.sandbox.session(waiting)).toBeDefined();
    await service.open(eft());
    expect(service.sandbox.session(waiting)).toBeUndefined();
  });

  test('a create is answered 503 with Retry-After while all are open', async () => {
    const service = await startService({ maxSessions: 2 });
    const first = await service.open(eft());
    await service.open(eft());
    const answer = await service.create(eft());
    expectProblem(answer, 503);
    expect(answer.headers['retry-after']).toBe('60');
    expect((await service.details(first)).status).toBe(200);
    service.clock.advance(15 * 60_000);
    expect((await service.create(eft())).status).toBe(201);
  });
});
