import { once } from 'node:events';
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { OidcAccess } from '../../../../console/access/access';
import { Browser } from '../../../support/console/access/browser';
import { TestProvider } from '../../../support/console/access/provider';
import { consoleFor, csrfOf, OIDC, PUBLIC_URL, type Subject } from '../../../support/console/guarded-console';

const provider = new TestProvider();
beforeAll(() => provider.start());
afterAll(() => provider.stop());

let access: OidcAccess;
let subject: Subject;
beforeEach(() => {
  provider.person = { sub: 'robin', roles: ['look'] };
  const { issuer, clientId, clientSecret } = provider;
  access = { ...OIDC, issuer, clientId, clientSecret };
});
afterEach(() => subject.app.close());

async function start(changed: Partial<OidcAccess> = {}): Promise<void> {
  subject = consoleFor({ ...access, ...changed }, '127.0.0.1');
  await subject.app.listen({ host: '127.0.0.1', port: 0 });
}

async function logIn(): Promise<Browser> {
  const browser = new Browser(subject.app, PUBLIC_URL);
  const sent = await browser.get('/login');
  await browser.get(provider.logIn(sent.headers.location ?? '').replace(PUBLIC_URL, ''));
  return browser;
}

/** Requests a live stream of changes with a browser’s cookies, and returns the response. */
async function look(
  { cookies }: Browser,
  headers: OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<IncomingMessage> {
  const { port } = subject.app.server.address() as AddressInfo;
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const own = { host: new URL(PUBLIC_URL).host, cookie, ...headers };
  const asked = request({ host: '127.0.0.1', port, path: '/events/overview', method, headers: own }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}

/** Logs in and opens a live stream. Repeats both if the short login expires before the stream opens, as on a busy machine. */
async function openStream(
  headers: OutgoingHttpHeaders,
): Promise<{ readonly browser: Browser; readonly stream: IncomingMessage }> {
  for (;;) {
    const browser = await logIn();
    const stream = await look(browser, headers);
    if (stream.statusCode !== 401) return { browser, stream };
    stream.resume();
  }
}

const ENDED = /^event: beat\n[\s\S]*retry: 500\nevent: loginEnded\ndata: \n\n$/;

describe('a live stream ends', () => {
  test.each<OutgoingHttpHeaders>([
    {},
    { accept: 'text/event-stream' },
    { accept: 'TEXT/EVENT-STREAM' },
    { accept: '*/*' },
  ])('when its login expires (headers of the request: %j)', async (headers) => {
    await start({ loginLastsMs: 1_500 });
    const { browser, stream } = await openStream(headers);
    expect(stream.statusCode).toBe(200);
    expect(await text(stream)).toMatch(ENDED);
    expect((await look(browser, headers)).statusCode).toBe(401);
  });

  test('when the person logs out, also if a copied cookie opened it, and streams of other logins go on', async () => {
    await start();
    const [browser, other] = [await logIn(), await logIn()];
    const thief = new Browser(subject.app, PUBLIC_URL);
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    const streams = await Promise.all([look(browser), look(thief)]);
    const others = (await look(other)).resume();
    const csrf = csrfOf(await browser.get('/look'));
    expect((await browser.post('/logout', { csrf })).statusCode).toBe(303);
    for (const stream of streams) expect(await text(stream)).toMatch(ENDED);
    await once(others, 'data');
    others.destroy();
    expect((await look(thief)).statusCode).toBe(401);
  });
});

test('one person gets at most 50 live streams, and HEAD requests use none of them up', async () => {
  await start();
  const browser = await logIn();
  const answers = await Promise.all(Array.from({ length: 60 }, () => look(browser, {}, 'HEAD')));
  expect(answers.filter(({ statusCode }) => statusCode !== 200)).toEqual([]);
  const streams = await Promise.all(Array.from({ length: 60 }, () => look(browser)));
  expect(streams.filter(({ statusCode }) => statusCode === 200)).toHaveLength(50);
  expect(streams.filter(({ statusCode }) => statusCode === 429)).toHaveLength(10);
  provider.person = { sub: 'sam', roles: ['look'] };
  expect((await look(await logIn())).statusCode).toBe(200);
  for (const stream of streams) stream.destroy();
});
