import { expect, test } from '@jest/globals';
import { readConsoleSettings, readPageSettings } from '../../../src/settings';

const PUBLIC_URL = { PAYSESSION_CONSOLE_PUBLIC_URL: 'https://payments.example' };
const OIDC = {
  ...PUBLIC_URL,
  PAYSESSION_CONSOLE_OIDC_ISSUER: 'https://login.example/realms/shop/',
  PAYSESSION_CONSOLE_OIDC_CLIENT_ID: 'console',
};

test('without settings, the console has no login and no trusted proxy', () => {
  const settings = readConsoleSettings({});
  expect([settings.oidc, settings.proxies, settings.publicUrl]).toEqual([undefined, [], undefined]);
});

test('the console’s OpenID Connect issuer is used unchanged, and other settings of the login have defaults', () => {
  expect(readConsoleSettings(OIDC)).toMatchObject({
    publicUrl: 'https://payments.example',
    roleNames: { viewer: 'paysession-viewer', operator: 'paysession-operator' },
    oidc: { issuer: 'https://login.example/realms/shop/', roleClaim: 'roles', loginLastsMs: 28_800_000 },
  });
});

test('the console’s time zone is UTC by default, and a setting can name a zone of the IANA database', () => {
  expect(readConsoleSettings({}).timeZone).toBe('UTC');
  expect(readPageSettings({ PAYSESSION_CONSOLE_TIME_ZONE: 'america/toronto' }).timeZone).toBe(
    'America/Toronto',
  );
  for (const name of ['Toronto', '+05:00', 'EST5EDT6', 'not a zone'])
    expect(() => readPageSettings({ PAYSESSION_CONSOLE_TIME_ZONE: name })).toThrow('IANA time zone database');
});

test('the console’s portal URL must be an https or localhost URL, and only its path, query and fragment may have names in braces', () => {
  const portalOf = (url: string) => readPageSettings({ PAYSESSION_CONSOLE_PORTAL_URL: url }).portalUrl;
  for (const url of [
    'https://portal.example/{account}?s={sessionId}#{key}',
    'http://localhost:8080/{referenceId}',
  ])
    expect(portalOf(url)).toBe(url);
  for (const url of [
    'http://portal.example/{sessionId}',
    'javascript:alert(1)//{key}',
    'https://portal.example/{payor}',
    'https://portal.example/{sessionId',
    'https://{key}.portal.example/',
    'https:{key}/x',
  ])
    expect(() => portalOf(url)).toThrow('must be an https URL in whose path');
});

test.each([
  ['an issuer without a public URL', { ...OIDC, PAYSESSION_CONSOLE_PUBLIC_URL: '' }, 'PUBLIC_URL is missing'],
  ['an issuer without a client', { ...OIDC, PAYSESSION_CONSOLE_OIDC_CLIENT_ID: '' }, 'CLIENT_ID is missing'],
  ['a client without an issuer', { ...OIDC, PAYSESSION_CONSOLE_OIDC_ISSUER: '' }, 'ISSUER is missing'],
  [
    'a proxy without a public URL',
    { PAYSESSION_CONSOLE_PROXY_ADDRESSES: '10.0.0.1' },
    'PUBLIC_URL is missing',
  ],
  [
    'a public URL with http',
    { PAYSESSION_CONSOLE_PUBLIC_URL: 'http://payments.example' },
    'PUBLIC_URL must be',
  ],
  [
    'a public URL with a path',
    { PAYSESSION_CONSOLE_PUBLIC_URL: 'https://pay.example/a' },
    'PUBLIC_URL must be',
  ],
  [
    'an issuer with http',
    { ...OIDC, PAYSESSION_CONSOLE_OIDC_ISSUER: 'http://login.example' },
    'ISSUER must be',
  ],
  ['a short secret', { ...OIDC, PAYSESSION_CONSOLE_SECRET: 'short' }, 'SECRET must have 32'],
  [
    'a secret that is not random',
    { ...OIDC, PAYSESSION_CONSOLE_SECRET: 'a'.repeat(40) },
    'SECRET must be random',
  ],
  [
    'one value for both roles',
    { ...OIDC, PAYSESSION_CONSOLE_VIEWER_ROLE: 'staff', PAYSESSION_CONSOLE_OPERATOR_ROLE: 'staff' },
    'VIEWER_ROLE must differ from PAYSESSION_CONSOLE_OPERATOR_ROLE',
  ],
  [
    'the other role’s default for a role',
    { ...OIDC, PAYSESSION_CONSOLE_VIEWER_ROLE: 'paysession-operator' },
    'VIEWER_ROLE must differ',
  ],
  ['a scope without openid', { ...OIDC, PAYSESSION_CONSOLE_OIDC_SCOPE: 'profile' }, 'openid among them'],
])('the console’s settings are refused with %s', (_case, env, message) => {
  expect(() => readConsoleSettings(env)).toThrow(message);
});

test.each(['0.0.0.0/0', '::/0', '10.0.0.0/33', 'proxy.example', '10.0.0.1,', '10.0.0.1/8/8'])(
  'the console’s trusted proxies may not be "%s"',
  (addresses) => {
    const env = { ...PUBLIC_URL, PAYSESSION_CONSOLE_PROXY_ADDRESSES: addresses };
    expect(() => readConsoleSettings(env)).toThrow('PROXY_ADDRESSES must be IP addresses');
  },
);

test('the console’s trusted proxies may be addresses and ranges', () => {
  const env = { ...PUBLIC_URL, PAYSESSION_CONSOLE_PROXY_ADDRESSES: '10.0.0.0/8, 2001:db8::/32,::1' };
  expect(readConsoleSettings(env).proxies).toEqual(['10.0.0.0/8', '2001:db8::/32', '::1']);
});
