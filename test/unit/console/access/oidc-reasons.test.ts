import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { OidcAccess } from '../../../../console/access/access';
import { Provider } from '../../../../console/access/oidc-provider';
import { Browser, textOf } from '../../../support/console/access/browser';
import { TestProvider, type Lies } from '../../../support/console/access/provider';
import { startProxy, withoutProxies } from '../../../support/service/egress-proxy';
import { cleanUp } from '../../../support/service/local-service';
import { plain } from '../../../support/console/session-page';
import { consoleFor, OIDC, PUBLIC_URL, type Subject } from '../../../support/console/guarded-console';

const provider = new TestProvider();
/** An address on which nothing listens, with a port that `fetch` does not block. */
const CLOSED = 'http://127.0.0.1:2';

let access: OidcAccess;
let subject: Subject;

beforeAll(() => provider.start());
afterAll(() => provider.stop());

beforeEach(() => {
  provider.person = { preferred_username: 'robin', roles: ['act'] };
  provider.lies = {};
  const { issuer, clientId, clientSecret } = provider;
  access = { ...OIDC, issuer, clientId, clientSecret };
});

/** Logs in at a console with these settings. Returns the console's answer: the error page, or the answer after the provider's login. */
async function logIn(settings: Partial<OidcAccess> = {}) {
  subject = consoleFor({ ...access, ...settings }, '0.0.0.0');
  const browser = new Browser(subject.app, PUBLIC_URL);
  const sent = await browser.get('/login', { 'accept-language': 'en' });
  if (sent.statusCode !== 303) return sent;
  return browser.get(provider.logIn(sent.headers.location ?? '').replace(PUBLIC_URL, ''));
}

describe('an issuer in the provider’s metadata that differs from the settings', () => {
  test.each<[what: string, published: (issuer: string) => string]>([
    ['a path that ends with a slash', (issuer) => `${issuer}/tenant/`],
    ['another scheme', (issuer) => `${issuer.replace('http:', 'https:')}/tenant`],
    ['another host', () => 'https://login.example/tenant'],
    ['another path', (issuer) => `${issuer}/tenants`],
  ])('is shown with both values on the page and in the log: %s', async (_what, published) => {
    const there = published(provider.issuer);
    provider.lies = { published: there };
    const here = provider.issuer;
    const answer = await logIn({ issuer: here });
    expect(answer.statusCode).toBe(503);
    expect(textOf(answer)).toContain('The identity provider does not answer, or answers incorrectly.');
    expect(plain(answer.body)).toContain(
      `issuer: "${there}" at the identity provider, "${here}" here (PAYSESSION_CONSOLE_OIDC_ISSUER)`,
    );
    expect(subject.lines).toEqual([
      expect.stringMatching(/^\S+Z - - login - failed OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED: /),
    ]);
    expect(subject.lines[0]).toContain(
      `issuer: "${there}" at the identity provider, "${here}" here (PAYSESSION_CONSOLE_OIDC_ISSUER)`,
    );
  });
});

describe('a provider behind the proxy that HTTP_PROXY names', () => {
  const environment = withoutProxies();
  beforeEach(environment.clear);
  afterEach(async () => {
    environment.restore();
    await cleanUp();
  });

  test('is called through the proxy', async () => {
    const issuer = 'http://login.internal.example';
    const proxy = await startProxy(Number(new URL(provider.issuer).port));
    process.env['HTTP_PROXY'] = proxy.url;
    provider.lies = { published: issuer };
    const { url } = await new Provider({ ...access, issuer }).begin();
    expect([proxy.asked, new URL(url).pathname]).toEqual([['login.internal.example:80'], '/authorize']);
  });

  test('is logged as unreachable, with the proxy’s status, if the proxy refuses the call', async () => {
    const proxy = await startProxy(9, { refusesWith: 407 });
    process.env['HTTP_PROXY'] = proxy.url;
    await logIn({ issuer: 'http://login.internal.example' });
    expect(subject.lines[0]).toContain('failed PROXY_407: the identity provider cannot be reached');
  });
});

describe('a provider without usable metadata', () => {
  test.each<[what: string, lies: Lies, settings: Partial<OidcAccess>, reason: RegExp]>([
    [
      'answers 404',
      { status: 404 },
      {},
      /failed OAUTH_RESPONSE_IS_NOT_CONFORM: the identity provider answers 404/,
    ],
    ['answers 500', { status: 500 }, {}, /answers 500/],
    [
      'answers with a page',
      { html: true },
      {},
      /failed OAUTH_RESPONSE_IS_NOT_JSON: the identity provider answers 200 and text\/html/,
    ],
    [
      'does not listen',
      {},
      { issuer: CLOSED },
      /failed ECONNREFUSED: the identity provider cannot be reached/,
    ],
  ])('is logged with the reason if it %s', async (_what, lies, settings, reason) => {
    provider.lies = lies;
    const answer = await logIn(settings);
    expect([answer.statusCode, subject.lines.length]).toEqual([503, 1]);
    expect(subject.lines[0]).toMatch(reason);
  });
});

describe('an id token that is rejected', () => {
  const now = () => new Date().toISOString().slice(0, 13);

  test.each<[claim: string, lies: Lies, difference: () => string]>([
    [
      'audience',
      { audience: 'another' },
      () => 'aud: "another" at the identity provider, "console" here (PAYSESSION_CONSOLE_OIDC_CLIENT_ID)',
    ],
    [
      'issuer',
      { issuer: 'https://evil.example' },
      () =>
        `iss: "https://evil.example" at the identity provider, "${provider.issuer}" here (PAYSESSION_CONSOLE_OIDC_ISSUER)`,
    ],
    ['expiry', { expired: true }, () => `here (the clock of this machine)`],
    ['start of validity', { early: true }, () => `here (the clock of this machine)`],
  ])(
    'because of its %s is shown with both values, on the page and in the log',
    async (_claim, lies, difference) => {
      provider.lies = lies;
      const answer = await logIn();
      expect(answer.statusCode).toBe(401);
      expect(plain(answer.body)).toContain(difference());
      expect(subject.lines).toEqual([expect.stringContaining(difference())]);
      expect(subject.lines[0]).toMatch(/^\S+Z - - login - failed OAUTH_JWT_\w+: \w+: "/);
    },
  );

  test('as expired is logged with its expiry and this machine’s time', async () => {
    provider.lies = { expired: true };
    await logIn();
    expect(subject.lines[0]).toMatch(
      new RegExp(`exp: "\\d{4}-\\S+Z" at the identity provider, "${now()}\\S+Z" here`),
    );
  });

  test.each<[what: string, lies: Lies]>([
    ['another nonce', { nonce: 'a-nonce-of-somebody' }],
    ['another signature', { otherKey: true }],
  ])('because of %s is logged with a code only, without a value', async (_what, lies) => {
    provider.lies = lies;
    const answer = await logIn();
    expect(subject.lines).toEqual([expect.stringMatching(/^\S+Z - - login - failed [\w-]+$/)]);
    expect(answer.body + subject.lines.join()).not.toContain('a-nonce-of-somebody');
  });
});

describe('a client that the provider refuses', () => {
  test('is logged with the provider’s code and status', async () => {
    const answer = await logIn({ clientSecret: 'another secret' });
    expect(answer.statusCode).toBe(401);
    expect(subject.lines).toEqual([
      expect.stringMatching(
        /^\S+Z - - login - failed invalid_client: the identity provider refuses the client \(401\)/,
      ),
    ]);
    expect(answer.body + subject.lines.join()).not.toMatch(/another secret|secret of nobody/);
  });
});

test('a login that fails shows no token and no secret, on the page or in the log', async () => {
  const all: string[] = [];
  for (const lies of [{ audience: 'another' }, { expired: true }, { otherKey: true }] as const) {
    provider.lies = lies;
    all.push((await logIn()).body, ...subject.lines);
  }
  expect(all.join()).not.toMatch(/eyJ/);
  expect(all.join()).not.toContain(provider.clientSecret);
});
