import { createServer, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { serveGuardedUi } from '../../../cli/shared/http-servers';
import { cleanUp, listen } from '../../support/service/local-service';

const asked: string[] = [];
let target: string;
let ui: Awaited<ReturnType<typeof serveGuardedUi>>;

beforeEach(async () => {
  asked.length = 0;
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      asked.push(`${incoming.method ?? ''} ${incoming.url ?? ''} ${body}`);
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

async function get(headers: Record<string, string>, body?: string) {
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
    expect(await get({ host })).toEqual({ status: 201, own: 'yes', body: 'of the web UI' });
    expect(asked).toEqual(['GET /namespaces?x=1 ']);
  },
);

test('Temporal’s web UI of `dev` receives the body of a request', async () => {
  await get({ 'sec-fetch-site': 'same-origin' }, '{"signal":1}');
  expect(asked).toEqual(['POST /namespaces?x=1 {"signal":1}']);
});

test.each([
  { host: 'evil.example:8233' },
  { host: '127.0.0.1.evil.example' },
  { host: '192.0.2.7' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
])('Temporal’s web UI of `dev` never receives a request with the headers %j', async (headers) => {
  expect(await get(headers)).toMatchObject({
    status: 403,
    body: expect.stringContaining('answers only under'),
  });
  expect(asked).toEqual([]);
});

test('a link on another site leads to Temporal’s web UI of `dev`', async () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect((await get(link)).status).toBe(201);
});

test('the error about a taken port of Temporal’s web UI names --ui-port', async () => {
  await expect(serveGuardedUi(target, Number(new URL(ui.url).port))).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message: expect.stringContaining('--ui-port'),
  });
});

test('`dev` answers 502 if Temporal’s web UI does not answer', async () => {
  await cleanUp();
  expect((await get({})).status).toBe(502);
});
