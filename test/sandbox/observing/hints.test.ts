import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createSandbox } from '../../../sandbox';
import { ownPort } from '../../support/own-port';
import { until } from '../../support/wait';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';

// A79 is a rule of the contract (docs/contract.md).

// A hint is a request that says that a session has changed. The sandbox sends hints to a URL of its user.
interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let received: Received[];
let status: number;
let receiver: Server;
let url: string;

beforeEach(async () => {
  [received, status] = [[], 202];
  receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hints`;
});

afterEach(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const untilReceived = (wanted: number) =>
  until(
    () => Promise.resolve(received),
    ({ length }) => length >= wanted,
  );

describe('A79 the sandbox', () => {
  test('sends no hint if it has no URL for hints', async () => {
    const service = await startService();
    service.sandbox.act(await service.open(eft()), 'completed');
    expect(received).toEqual([]);
  });

  test('sends a hint for each change, with the secret and only the session’s id', async () => {
    const service = await startService({ hints: { url, secret: 'a-secret-of-the-shop' } });
    const sessionId = await service.open(eft());
    service.sandbox.act(sessionId, 'touched');
    service.sandbox.act(sessionId, 'bankValidated');
    await untilReceived(1);
    service.sandbox.act(sessionId, 'padSigned');
    await untilReceived(2);
    expect(received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { event: 'session.changed', sessionId },
      { event: 'session.changed', sessionId },
    ]);
    expect(received[0]?.headers).toMatchObject({
      authorization: 'Bearer a-secret-of-the-shop',
      'content-type': 'application/json',
    });
  });

  test('sends a hint when a scenario changes a session, although no caller reads the session', async () => {
    const service = await startService({ hints: { url } });
    const sessionId = await service.open(eft('sandbox-completes'));
    service.clock.advance(60_000);
    const [first] = await untilReceived(1);
    expect(first?.body).toContain(sessionId);
  });

  test('logs a hint that is refused or does not arrive, and does not send it again', async () => {
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const logged = (text: string) =>
      until(
        () => Promise.resolve(lines),
        (all) => all.includes(text),
      );
    status = 307;
    const service = await startService({ hints: { url }, log });
    service.sandbox.act(await service.open(eft()), 'completed');
    await logged('a hint was refused: status 307');
    expect(received).toHaveLength(1);
    const nowhere = `http://127.0.0.1:${await ownPort()}/hints`;
    const lost = await startService({ hints: { url: nowhere }, log });
    lost.sandbox.act(await lost.open(eft()), 'completed');
    await logged('a hint did not arrive: ECONNREFUSED');
  });

  test.each(['', 'shop.example', 'file:///etc/passwd'])('refuses %j as the URL of hints', (wrong) => {
    expect(() => createSandbox({ hints: { url: wrong } })).toThrow('Hints are sent to a URL');
  });
});
