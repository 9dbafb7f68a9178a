import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { LocalAccess } from '../../../../console/access/access';
import { serveConsole } from '../../../../console/serve-console';
import { Browser, textOf } from '../../../support/console/access/browser';
import { consoleFor, csrfOf, onceOf, type Subject } from '../../../support/console/guarded-console';

const ORIGIN = 'http://127.0.0.1:4030';
const LOCAL: LocalAccess = { kind: 'local', operator: { name: 'avery', role: 'operator' } };

let subject: Subject;
let browser: Browser;
let csrf: string;

beforeEach(async () => {
  subject = consoleFor(LOCAL);
  browser = new Browser(subject.app, ORIGIN);
  csrf = csrfOf(await browser.get('/look'));
});

afterAll(() => subject.app.close());

describe('a console on this machine, without a login', () => {
  test('treats every visitor as the local operator, who may act', async () => {
    expect((await browser.get('/look')).body).toContain('avery operator');
    const answer = await browser.post('/act', { csrf, once: onceOf('a') });
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/look?done']);
    expect(subject.acts).toEqual(['avery']);
  });

  test('has no login page, and no page offers a logout', async () => {
    expect((await browser.get('/login')).statusCode).toBe(404);
    expect((await browser.get('/look')).body).not.toContain('/logout');
  });

  test.each(['127.0.0.1', '[::1]', 'localhost:4030'])('answers under the host name %s', async (host) => {
    expect((await browser.get('/look', { host })).statusCode).toBe(200);
  });

  test.each(['evil.example', '127.0.0.1.evil.example', '192.0.2.7', 'localhost@evil.example'])(
    'does not answer under the host name "%s"',
    async (host) => {
      const answer = await browser.get('/look', { host });
      expect([answer.statusCode, answer.body.includes('avery')]).toEqual([403, false]);
    },
  );

  test.each(['0.0.0.0', '::', '192.0.2.7', 'payments.example'])('refuses to listen on %s', async (host) => {
    const options = { client: {} as never, sessions: {} as never, taskQueue: 'none', access: LOCAL };
    await expect(serveConsole({ ...options, host, port: 0 })).rejects.toMatchObject({
      code: 'INVALID_SETTINGS',
      message: expect.stringMatching(/PAYSESSION_CONSOLE_OIDC_.*PAYSESSION_CONSOLE_PROXY_/),
    });
  });
});

// Without a login, a proxy in front of the console admits everyone.
describe('a console without a login serves no page', () => {
  test.each([
    ['x-forwarded-for', '203.0.113.9'],
    ['x-forwarded-proto', 'https'],
    ['x-forwarded-email', 'mallory@example.com'],
    ['forwarded', 'for=203.0.113.9'],
    ['x-real-ip', '203.0.113.9'],
    ['via', '1.1 proxy.example'],
    ['Via', '1.0 fred'],
    ['x-forwarded', 'for=203.0.113.9'],
    ['forwarded-for', '203.0.113.9'],
    ['client-ip', '203.0.113.9'],
    ['x-client-ip', '203.0.113.9'],
    ['true-client-ip', '203.0.113.9'],
    ['cf-connecting-ip', '203.0.113.9'],
    ['x-envoy-external-address', '203.0.113.9'],
    ['x-amzn-trace-id', 'Root=1-67891233-abcdef012345678912345678'],
    ['x-original-host', 'payments.example'],
  ])('to a request with a proxy’s header, %s: %s', async (name, value) => {
    const headers = { [name]: value };
    const answer = await browser.get('/look', headers);
    expect([answer.statusCode, answer.body.includes('avery')]).toEqual([403, false]);
    expect(textOf(answer)).toContain('PAYSESSION_CONSOLE_PROXY_');
    expect((await browser.get('/events/overview', headers)).statusCode).toBe(403);
    expect((await browser.post('/act', { csrf, once: onceOf('a') }, headers)).statusCode).toBe(403);
    expect(subject.acts).toEqual([]);
  });
});

test('a console without a login serves no page over HTTP/1.0, which nginx uses by default as a proxy', async () => {
  const { app } = consoleFor(LOCAL);
  await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    const { port } = app.server.address() as AddressInfo;
    const answerTo = async (version: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET /look HTTP/${version}\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
      return text(socket);
    };
    expect(await answerTo('1.1')).toMatch(/^HTTP\/1.1 200 /);
    const refused = await answerTo('1.0');
    expect(refused).toMatch(/^HTTP\/1.[01] 403 /);
    expect(refused).not.toContain('avery');
  } finally {
    await app.close();
  }
});

describe('a request', () => {
  const from = (site: string, mode: string, dest: string) => ({
    'sec-fetch-site': site,
    'sec-fetch-mode': mode,
    'sec-fetch-dest': dest,
  });

  test.each([
    ['a script', from('cross-site', 'no-cors', 'empty')],
    ['an image', from('same-site', 'no-cors', 'image')],
    ['a frame', from('cross-site', 'navigate', 'iframe')],
  ])('from %s on another site is refused', async (_what, headers) => {
    for (const path of ['/look', '/console.css', '/nowhere', '/events/overview'])
      expect((await browser.get(path, headers)).statusCode).toBe(403);
  });

  test('from a link on another site gets a page, but no event stream', async () => {
    const link = from('cross-site', 'navigate', 'document');
    expect((await browser.get('/look', link)).statusCode).toBe(200);
    expect((await browser.get('/events/overview', link)).statusCode).toBe(403);
  });

  test('from the browser’s address bar or from the console’s own page is answered', async () => {
    expect((await browser.get('/look', from('none', 'navigate', 'document'))).statusCode).toBe(200);
    expect((await browser.get('/look', from('same-origin', 'cors', 'empty'))).statusCode).toBe(200);
  });
});

describe('a form', () => {
  const refused = async (
    status: number,
    form: Record<string, string>,
    headers: Record<string, string> = {},
  ) => {
    const answer = await browser.post('/act', form, headers);
    expect([answer.statusCode, subject.acts]).toEqual([status, []]);
    expect(answer.headers['content-type']).toContain('text/html');
  };
  const form = () => ({ csrf, once: onceOf('form') });

  test.each(['https://evil.example', 'null', 'http://127.0.0.1:4031', 'https://127.0.0.1:4030', ''])(
    'is refused if its origin is "%s"',
    (origin) => refused(403, form(), { origin }),
  );

  test.each(['cross-site', 'same-site', 'none'])('is refused with the header sec-fetch-site: %s', (site) =>
    refused(403, form(), { 'sec-fetch-site': site }),
  );

  test('without an origin is refused with the header sec-fetch-site: cross-site', async () => {
    const answer = await browser.send({
      method: 'POST',
      url: '/act',
      payload: new URLSearchParams(form()).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    });
    expect([answer.statusCode, subject.acts]).toEqual([403, []]);
  });

  test.each(['', 'wrong', 'A'.repeat(43)])('is refused with the token "%s"', (token) =>
    refused(403, { ...form(), csrf: token }),
  );

  test.each(['', 'x', 'with space 0123', '../../../etc/passwd'])('is refused with the form id "%s"', (once) =>
    refused(400, { ...form(), once }),
  );

  test.each(['text/plain', 'application/json', 'multipart/form-data; boundary=x'])(
    'is refused with the content type %s',
    (type) => refused(415, form(), { 'content-type': type }),
  );

  test('is refused if it is too large', () => refused(413, { ...form(), reason: 'x'.repeat(20_000) }));

  test('acts once, even if it is sent four times: each answer repeats the first', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => browser.post('/act', form())));
    answers.push(await browser.post('/act', form()));
    expect(answers.map(({ statusCode, headers }) => [statusCode, headers.location])).toEqual(
      Array(4).fill([303, '/look?done']),
    );
    expect(subject.acts).toEqual(['avery']);
  });

  test('is refused if it is sent again with other fields', async () => {
    await browser.post('/act', form());
    const answer = await browser.post('/act', { ...form(), reason: 'another' });
    expect([answer.statusCode, subject.acts]).toEqual([409, ['avery']]);
  });

  test('acts if it is sent again after a failure', async () => {
    let isDown = true;
    const { app, acts } = consoleFor(LOCAL);
    app.post('/try', (_request, reply) => {
      if (isDown) throw new Error('down');
      acts.push('tried');
      return reply.redirect('/look', 303);
    });
    const own = new Browser(app, ORIGIN);
    const token = csrfOf(await own.get('/look'));
    expect((await own.post('/try', { csrf: token, once: onceOf('t') })).statusCode).toBe(500);
    isDown = false;
    expect((await own.post('/try', { csrf: token, once: onceOf('t') })).statusCode).toBe(303);
    expect(acts).toEqual(['tried']);
  });

  test('is refused with a method other than POST', async () => {
    const answer = await browser.send({ method: 'PUT', url: '/act' });
    expect([answer.statusCode, answer.headers.allow, subject.acts]).toEqual([405, 'POST', []]);
  });
});

describe('an answer', () => {
  test.each(['/look', '/console.css', '/nowhere', '/language?to=FR'])(
    'forbids foreign resources, caching and embedding: %s',
    async (url) => {
      const { headers } = await browser.get(url);
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
    },
  );

  test('to an unexpected error shows no details, and the log has only the error’s name', async () => {
    const { app, lines } = consoleFor(LOCAL);
    app.get('/broken', () => {
      throw new TypeError('the secret of the house');
    });
    const answer = await new Browser(app, ORIGIN).get('/broken');
    expect(answer.statusCode).toBe(500);
    expect(answer.body + lines.join()).not.toMatch(/secret of the house|at .*\.ts/);
    expect(lines.join()).toContain('TypeError');
  });

  test('for an unknown path is a page that says that there is no such page', async () => {
    const answer = await browser.get('/nowhere');
    expect([answer.statusCode, textOf(answer)]).toEqual([
      404,
      expect.stringContaining('There is no such page.'),
    ]);
  });
});

describe('the choice of a language', () => {
  const languageOf = async (headers: Record<string, string> = {}) =>
    /<html lang="(\w+)"/.exec((await browser.get('/look', headers)).body)?.[1];

  test.each([
    ['', 'en'],
    ['fr-CA,fr;q=0.9,en;q=0.8', 'fr'],
    ['de, en;q=0.4, fr;q=0.5', 'fr'],
    ['fr;q=0, en;q=0.1', 'en'],
    ['*', 'en'],
  ])('follows the browser’s accept-language: "%s"', async (wish, language) => {
    expect(await languageOf({ 'accept-language': wish })).toBe(language);
  });

  test('by the reader overrides accept-language from then on, and leads back to the reader’s page', async () => {
    const answer = await browser.get('/language?to=FR&back=%2Flook%3Fphase%3Dopen');
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/look?phase=open']);
    expect(await languageOf({ 'accept-language': 'en' })).toBe('fr');
    await browser.get('/language?to=DE&back=/look');
    expect(await languageOf()).toBe('fr');
  });

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/..//evil.example',
    '/%2e%2e//evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/look\r\nset-cookie: a=b',
    'javascript:alert(1)',
    'look',
  ])('leads to the overview instead of %j', async (back) => {
    const answer = await browser.get(`/language?${new URLSearchParams({ to: 'FR', back }).toString()}`);
    expect([answer.statusCode, answer.headers.location]).toEqual([303, '/']);
  });
});
