import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { expectProblem, startService, type Service } from '../../support/sandbox/requests-to-sandbox';

// A70 is a rule of the contract (docs/contract.md).

/** Sends bytes, which may be invalid HTTP, and returns the sandbox's answer. */
async function sendRaw(service: Service, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(service.sandbox.url).port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('problem details', () => {
  test('A70 have type, title, status and detail, but no instance', async () => {
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

  test('A70 a request that is not HTTP is answered with problem details, too', async () => {
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
