import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { OidcAccess } from '../../../../console/access/access';
import { until } from '../../../support/wait';
import { Browser, textOf } from '../../../support/console/access/browser';
import { TestProvider, type Lies } from '../../../support/console/access/provider';
import {
  consoleFor,
  csrfOf,
  OIDC,
  onceOf,
  PUBLIC_URL,
  type Subject,
} from '../../../support/console/guarded-console';

const provider = new TestProvider();
const LOGIN = '__Host-paysession-login';

let access: OidcAccess;
let subject: Subject;
let browser: Browser;

beforeAll(() => provider.start());
afterAll(() => provider.stop());

beforeEach(() => {
  provider.person = { preferred_username: 'robin', roles: ['act'] };
  provider.lies = {};
  access = {
    ...OIDC,
    issuer: provider.issuer,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
  };
  subject = consoleFor(access, '0.0.0.0');
  browser = new Browser(subject.app, PUBLIC_URL);
});

/** Logs in at the provider. Returns the console's answer when the browser comes back. */
async function logIn(as = browser, path = '/look') {
  return as.get(await begin(as, path));
}

/** Begins a login. Returns the path at which the provider's answer comes back. */
async function begin(as = browser, path = '/look') {
  const sent = await as.get(`/login?to=${encodeURIComponent(path)}`);
  expect(sent.statusCode).toBe(303);
  return provider.logIn(sent.headers.location ?? '').replace(PUBLIC_URL, '');
}

describe('a login', () => {
  test('is required for each page, and leads back to the page', async () => {
    const asked = await browser.get('/look?phase=open');
    expect([asked.statusCode, asked.headers.location]).toEqual([303, '/login?to=%2Flook%3Fphase%3Dopen']);
    const sent = await browser.get(asked.headers.location ?? '');
    const back = await browser.get(provider.logIn(sent.headers.location ?? '').replace(PUBLIC_URL, ''));
    expect([back.statusCode, back.headers.location]).toEqual([303, '/look?phase=open']);
    expect((await browser.get('/look')).body).toContain('robin operator');
  });

  test('is kept in an encrypted cookie that is HttpOnly, SameSite=Lax and Secure', async () => {
    await logIn();
    for (const cookie of browser.setCookies)
      expect(cookie).toMatch(
        /^__Host-paysession-[\w-]+=\S*; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
      );
    expect(browser.setCookies.join()).not.toContain('robin');
    expect([...browser.cookies.keys()]).toEqual([LOGIN]);
  });

  test('is logged with the person’s name and role', async () => {
    await logIn();
    expect(subject.lines).toEqual([expect.stringMatching(/^\S+Z robin operator login - done$/)]);
  });

  test.each([
    ['a list', { roles: ['other', 'look'] }, 'viewer'],
    ['a text', { roles: 'look act' }, 'operator'],
  ])('reads roles from %s', async (_form, claims, role) => {
    provider.person = { email: 'robin@shop.example', ...claims };
    await logIn();
    expect((await browser.get('/look')).body).toContain(`robin@shop.example ${role}`);
  });

  test('reads roles from a claim within another claim', async () => {
    subject = consoleFor({ ...access, roleClaim: 'realm_access.roles', nameClaim: 'name' }, '0.0.0.0');
    browser = new Browser(subject.app, PUBLIC_URL);
    provider.person = { name: 'Zoé\nTremblay', roles: ['act'], realm_access: { roles: ['look'] } };
    await logIn();
    expect((await browser.get('/look')).body).toContain('Zoé Tremblay viewer');
  });

  test.each([
    ['without roles', {}],
    ['with other roles', { roles: ['admin', 'ACT', 'act2'] }],
    ['with roles of another shape', { roles: { act: true } }],
  ])('is refused to a person %s', async (_case, person) => {
    provider.person = person;
    const answer = await logIn();
    expect([answer.statusCode, browser.cookies.size]).toEqual([403, 0]);
    expect(textOf(answer)).toContain('neither the viewer nor the operator role');
    expect((await browser.get('/look')).statusCode).toBe(303);
  });

  test.each([
    ['without the claim of the name', { nameClaim: 'nickname' }, {}],
    ['with an empty name', {}, { sub: '\u202e', preferred_username: ' ', email: '' }],
  ])(
    'of a person %s is refused, and the page and the log say that the name is missing',
    async (_case, settings, person) => {
      subject = consoleFor({ ...access, ...settings }, '0.0.0.0');
      browser = new Browser(subject.app, PUBLIC_URL);
      provider.person = { roles: ['act'], ...person };
      const answer = await logIn();
      expect([answer.statusCode, browser.cookies.size]).toEqual([403, 0]);
      expect(textOf(answer)).toContain('PAYSESSION_CONSOLE_NAME_CLAIM');
      expect(subject.lines).toEqual([expect.stringMatching(/ - - login - noName$/)]);
    },
  );

  test.each<[string, Lies]>([
    ['with the nonce of another login', { nonce: 'another' }],
    ['for another client', { audience: 'another' }],
    ['of another issuer', { issuer: 'https://evil.example' }],
    ['that is signed with another key', { otherKey: true }],
    ['that has expired', { expired: true }],
  ])('rejects an id token %s', async (_case, lies) => {
    provider.lies = lies;
    const answer = await logIn();
    expect([answer.statusCode, browser.cookies.size]).toEqual([401, 0]);
    expect(subject.lines).toEqual([
      expect.stringMatching(
        /^\S+Z - - login - failed [\w-]+(: \w+: "[^"]+" at the identity provider, "[^"]+" here .+)?$/,
      ),
    ]);
  });

  test.each([
    ['in the order in which they began', [0, 1]],
    ['in the opposite order', [1, 0]],
  ])('in two tabs at once leads each tab to its own page, if the logins finish %s', async (_case, order) => {
    const pages = ['/look?tab=0', '/look?tab=1'];
    const backs = await Promise.all(pages.map((page) => begin(browser, page)));
    for (const tab of order) {
      const { statusCode, headers } = await browser.get(backs[tab] ?? '');
      expect([statusCode, headers.location]).toEqual([303, pages[tab]]);
    }
    expect([...browser.cookies.keys()]).toEqual([LOGIN]);
  });

  test.each([
    ['a short URL', '/look'],
    ['a long URL', `/look?search=${'x'.repeat(1_900)}`],
  ])(
    'that is begun 18 times for %s keeps the cookies below 8 KB, and the latest two attempts succeed',
    async (_case, path) => {
      const backs = [];
      for (let count = 0; count < 18; count += 1) {
        backs.push(await begin(browser, path));
        expect(browser.cookieHeader().length).toBeLessThan(7_900);
      }
      for (const back of backs.slice(-2)) expect((await browser.get(back)).headers.location).toBe(path);
    },
  );

  test('can be begun in 8 tabs before the first login is finished', async () => {
    const backs = [];
    for (let tab = 0; tab < 8; tab += 1) backs.push(await begin(browser, `/look?tab=${tab}`));
    const pages = [];
    for (const back of backs) pages.push((await browser.get(back)).headers.location);
    expect(pages).toEqual(backs.map((_back, tab) => `/look?tab=${tab}`));
  });

  test('cannot be finished in another browser, and the other browser can still finish its own login', async () => {
    const back = await begin();
    const other = new Browser(subject.app, PUBLIC_URL);
    expect((await other.get(back)).statusCode).toBe(401);
    expect(subject.lines).toEqual([expect.stringMatching(/ - - login - failed noAttempt$/)]);
    const own = await begin(other);
    expect([(await other.get(back)).statusCode, other.cookies.size]).toEqual([401, 1]);
    const { statusCode, headers } = await other.get(own);
    expect([statusCode, headers.location]).toEqual([303, '/look']);
  });

  test('cannot be finished with the cookie of another attempt under its name', async () => {
    const [back, other] = [await begin(), await begin()];
    const [name = '', otherName = ''] = browser.cookies.keys();
    browser.cookies.set(name, browser.cookies.get(otherName) ?? '');
    expect((await browser.get(back)).statusCode).toBe(401);
    expect((await browser.get(other)).statusCode).toBe(303);
  });

  test.each([
    ['without a state', ''],
    ['with an empty state', '&state='],
    ['with a state that would end a cookie’s name', `&state=${encodeURIComponent('x=y; Path=/x\r\nx: y')}`],
    ['with a state that is too long', `&state=${'x'.repeat(44)}`],
  ])('%s is refused, and changes no cookie', async (_case, state) => {
    await begin();
    const { length } = browser.setCookies;
    expect((await browser.get(`/login/callback?code=x${state}`)).statusCode).toBe(401);
    expect(browser.setCookies).toHaveLength(length);
  });

  test('cannot be finished again with a copy of the attempt’s cookie', async () => {
    const back = await begin();
    const attempt = new Map(browser.cookies);
    await browser.get(back);
    const thief = new Browser(subject.app, PUBLIC_URL);
    for (const [name, value] of attempt) thief.cookies.set(name, value);
    expect([(await thief.get(back)).statusCode, thief.cookies.size]).toEqual([401, 0]);
  });

  test('that the provider refuses fails, and the console shows nothing of the provider’s description', async () => {
    const sent = await browser.get('/login');
    const state = new URL(sent.headers.location ?? '').searchParams.get('state') ?? '';
    const query = new URLSearchParams({ state, error: '<script>', error_description: '<script>alert(1)' });
    const answer = await browser.get(`/login/callback?${query.toString()}`);
    expect([answer.statusCode, answer.body.includes('alert')]).toEqual([401, false]);
    expect(subject.lines.join()).not.toContain('<');
  });

  test('is unavailable while the provider cannot be reached', async () => {
    const { issuer } = provider;
    const gone = consoleFor({ ...access, issuer: 'http://127.0.0.1:1' }, '0.0.0.0');
    const answer = await new Browser(gone.app, PUBLIC_URL).get('/login');
    expect([answer.statusCode, textOf(answer)]).toEqual([
      503,
      expect.stringContaining('identity provider does not answer'),
    ]);
    expect(issuer).toBe(access.issuer);
  });

  test.each(['https://evil.example', '//evil.example', '/..//evil.example', '/login', '/logout'])(
    'leads to the overview instead of %s',
    async (to) => {
      expect((await logIn(browser, to)).headers.location).toBe('/');
    },
  );

  test('can be begun 20 times a minute from one address', async () => {
    const statuses = [];
    for (let count = 0; count < 21; count += 1) statuses.push(await browser.get('/login'));
    expect(statuses.map(({ statusCode }) => statusCode)).toEqual([...Array<number>(20).fill(303), 429]);
    expect(Number(statuses.at(-1)?.headers['retry-after'])).toBeGreaterThan(0);
    const other = new Browser(subject.app, PUBLIC_URL, '192.0.2.9');
    // The address in a header of the sender is ignored: no proxy is trusted here.
    expect((await browser.get('/login', { 'x-forwarded-for': '192.0.2.9' })).statusCode).toBe(429);
    expect((await other.get('/login')).statusCode).toBe(303);
  });

  test.each([
    ['192.0.2.7', (count: number) => `192.0.2.7:${50_000 + count}`],
    ['2001:db8::7', (count: number) => `[2001:db8::7]:${50_000 + count}`],
    ['unknown', () => 'unknown'],
    ['x'.repeat(45), (count: number) => `${'x'.repeat(45)}${count}`],
  ])(
    'is limited for the address that a trusted proxy adds, %s, even if the sender claims other addresses',
    async (own, written) => {
      const { app } = consoleFor({ ...access, proxies: ['10.1.0.0/16'] }, '0.0.0.0');
      const proxied = new Browser(app, PUBLIC_URL, '10.1.2.3');
      const ask = async (forwarded: string) =>
        (await proxied.get('/login', { 'x-forwarded-for': forwarded })).statusCode;
      for (let count = 0; count < 20; count += 1)
        expect(await ask(`198.51.100.${count}, ${written(count)}, 10.1.2.4:443`)).toBe(303);
      expect([await ask(own), await ask('192.0.2.9')]).toEqual([429, 303]);
    },
  );
});

describe('an action', () => {
  test('is allowed to an operator', async () => {
    await logIn();
    const csrf = csrfOf(await browser.get('/look'));
    expect((await browser.post('/act', { csrf, once: onceOf('a') })).statusCode).toBe(303);
    expect(subject.acts).toEqual(['robin']);
  });

  test('is refused to a viewer, who can send a form although the page has no button', async () => {
    provider.person = { sub: 'vic', roles: ['look'] };
    await logIn();
    const csrf = csrfOf(await browser.get('/look'));
    const answer = await browser.post('/act', { csrf, once: onceOf('a') });
    expect([answer.statusCode, subject.acts]).toEqual([403, []]);
    expect(textOf(answer)).toContain('You can view the console, but this needs the operator role.');
  });

  test('is refused with a form token of another person’s login, or of an earlier login', async () => {
    await logIn();
    const csrf = csrfOf(await browser.get('/look'));
    for (const other of [new Browser(subject.app, PUBLIC_URL), browser]) {
      await logIn(other);
      const answer = await other.post('/act', { csrf, once: onceOf('a') });
      expect([answer.statusCode, subject.acts]).toEqual([403, []]);
    }
  });

  test('is refused without a login; the page links to the login, which leads back to the form’s page', async () => {
    const answer = await browser.post(
      '/act',
      { csrf: 'x', once: onceOf('a') },
      { referer: `${PUBLIC_URL}/look?phase=open` },
    );
    expect([answer.statusCode, subject.acts]).toEqual([401, []]);
    expect(answer.body).toContain('href="/login?to=%2Flook%3Fphase%3Dopen"');
  });
});

describe('a login', () => {
  test('ends when a viewer logs out, also for a copy of the cookie', async () => {
    provider.person = { sub: 'vic', roles: ['look'] };
    await logIn();
    const csrf = csrfOf(await browser.get('/look'));
    const thief = new Browser(subject.app, PUBLIC_URL);
    thief.cookies.set(LOGIN, browser.cookies.get(LOGIN) ?? '');
    expect((await thief.get('/look')).statusCode).toBe(200);
    const out = await browser.post('/logout', { csrf });
    expect([out.statusCode, out.headers.location, browser.cookies.size]).toEqual([303, '/logged-out', 0]);
    expect((await browser.get('/logged-out')).statusCode).toBe(200);
    expect((await thief.get('/look')).statusCode).toBe(303);
  });

  test('does not end by a logout form of another site or a logout form without a token', async () => {
    await logIn();
    const csrf = csrfOf(await browser.get('/look'));
    await browser.post(
      '/logout',
      { csrf },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    );
    await browser.post('/logout', {});
    expect((await browser.get('/look')).statusCode).toBe(200);
  });

  test.each([
    ['changed', (cookie: string) => cookie.slice(0, -4) + (cookie.endsWith('AAAA') ? 'BBBB' : 'AAAA')],
    ['cut', (cookie: string) => cookie.slice(0, cookie.length / 2)],
    ['not a token', () => 'robin'],
    [
      'unsigned',
      () => `${encoded({ alg: 'none' })}.${encoded({ value: { name: 'robin', role: 'operator' } })}.`,
    ],
  ])('ends when its cookie is %s', async (_case, change) => {
    await logIn();
    browser.cookies.set(LOGIN, change(browser.cookies.get(LOGIN) ?? ''));
    expect((await browser.get('/look')).statusCode).toBe(303);
  });

  test('ends when its cookie is replaced by the cookie of another console or of a login attempt', async () => {
    const other = consoleFor({ ...access, secret: 'another secret, which is as long as this' }, '0.0.0.0');
    const elsewhere = new Browser(other.app, PUBLIC_URL);
    await logIn(elsewhere);
    browser.cookies.set(LOGIN, elsewhere.cookies.get(LOGIN) ?? '');
    expect((await browser.get('/look')).statusCode).toBe(303);
    await browser.get('/login');
    const attempt = [...browser.cookies].find(([name]) => name.startsWith('__Host-paysession-attempt-'));
    browser.cookies.set(LOGIN, attempt?.[1] ?? 'no attempt');
    expect((await browser.get('/look')).statusCode).toBe(303);
  });

  test('ends after loginLastsMs: pages lead to the login, and event streams and forms are refused', async () => {
    const short = consoleFor({ ...access, loginLastsMs: 1_500 }, '127.0.0.1');
    const one = new Browser(short.app, PUBLIC_URL);
    await logIn(one);
    const csrf = csrfOf(await one.get('/look'));
    await until(
      () => one.get('/look'),
      ({ statusCode }) => statusCode === 303,
    );
    expect((await one.get('/events/overview', { accept: 'text/event-stream' })).statusCode).toBe(401);
    const refused = await one.post('/act', { csrf, once: onceOf('a') });
    expect([refused.statusCode, short.acts]).toEqual([401, []]);
  });
});

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
