import { createServer, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { serveGuardedUi } from '../../../cli/shared/http-servers';
import { cleanUp, listen } from '../../support/service/local-service';

// `paysession dev` puts a guard before Temporal's web UI, so that other sites' pages cannot send requests to the web UI.
const received: string[] = [];
let target: string;
let ui: Awaited<ReturnType<typeof serveGuardedUi>>;

beforeEach(async () => {
  received.length = 0;
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      received.push(`${incoming.method ?? ''} ${incoming.url ?? ''} ${body}`);
      response.writeHead(201, { 'x-own': 'yes' }).end('of the web UI');
    });
  });
  target = await listen(server);
  ui = await serveGuardedUi(target, 0);
});

afterEach(async () => {
  await ui.close();
  await cleanUp();
});

async function send(headers: Record<string, string>, body?: string) {
  const { port } = new URL(ui.url);
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/namespaces?x=1',
    method: body === undefined ? 'GET' : 'POST',
    headers: { host: `127.0.0.1:${port}`, ...headers },
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, own: answer.headers['x-own'], body: await text(answer) };
}

test.each(['127.0.0.1:8233', 'localhost', 'LOCALHOST:8233', '[::1]:8233'])(
  'Temporal’s web UI of `dev` answers under the host %s',
  async (host) => {
    expect(await send({ host })).toEqual({ status: 201, own: 'yes', body: 'of the web UI' });
    expect(received).toEqual(['GET /namespaces?x=1 ']);
  },
);

test('Temporal’s web UI of `dev` receives the body of a request', async () => {
  await send({ 'sec-fetch-site': 'same-origin' }, '{"signal":1}');
  expect(received).toEqual(['POST /namespaces?x=1 {"signal":1}']);
});

test.each([
  { host: 'evil.example:8233' },
  { host: '127.0.0.1.evil.example' },
  { host: '192.0.2.7' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
])('Temporal’s web UI of `dev` does not receive a request with the headers %j', async (headers) => {
  expect(await send(headers)).toMatchObject({
    status: 403,
    body: expect.stringContaining('answers only under'),
  });
  expect(received).toEqual([]);
});

test('a visitor can follow a link from another site to Temporal’s web UI of `dev`', async () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect((await send(link)).status).toBe(201);
});

test('the error about a taken port of Temporal’s web UI names --ui-port', async () => {
  await expect(serveGuardedUi(target, Number(new URL(ui.url).port))).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message: expect.stringContaining('--ui-port'),
  });
});

test('`dev` answers 502 if Temporal’s web UI does not answer', async () => {
  await cleanUp();
  expect((await send({})).status).toBe(502);
});
