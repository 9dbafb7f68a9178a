import { z } from 'zod';
import { isTimeZone, TIME_ZONE_RULE } from '../../contract/values/day';
import { isLoopbackHost } from '../../contract/values/loopback';
import { duration, text } from '../setting-values';
import { fileRow, type SettingRow } from './setting-row';

/**
 * True if the URL is https, or http to a loopback host. Logins and session ids must not be sent over a network in plain
 * text.
 */
function isProtected(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** The names that the URL of a portal may have in braces. */
const PORTAL_NAMES: readonly string[] = ['sessionId', 'referenceId', 'key', 'account'];

/** A URL with names in braces. The console replaces each name by a fact about the session. */
const portalUrl = z.string().max(2_000).refine(isPortal, {
  error:
    'must be an https URL in whose path, query or fragment you may write {sessionId}, {referenceId}, {key} and {account}, such as https://portal.example/sessions/{sessionId}',
});

function isPortal(template: string): boolean {
  const named = template.replaceAll(/\{(\w+)\}/g, (braces, name: string) =>
    PORTAL_NAMES.includes(name) ? 'x' : braces,
  );
  // The host must have no names in braces, so that no filled-in value can change the host.
  const startsWithHost = /^https?:\/\/[^/?#\\{}]+(?:[/?#]|$)/i.test(template);
  return startsWithHost && !/[{}\s]/.test(named) && isProtected(named);
}

const publicUrl = z
  .string()
  .refine((url) => isProtected(url) && [url, url.replace(/\/$/, '')].includes(new URL(url).origin), {
    error: 'must be an https URL with host and port alone, such as https://payments.example',
  })
  .transform((url) => new URL(url).origin);

/** The URL is kept unchanged, even a slash at the end, because the issuer in a token must equal it byte for byte. */
const issuerUrl = z
  .string()
  .refine((url) => isProtected(url) && !/[?#]/.test(url), { error: 'must be an https URL without a query' });

const oidcScope = z.string().refine((scope) => scope.split(' ').includes('openid'), {
  error: 'must be scopes with spaces between them, openid among them',
});

const roleName = z.string().regex(/^[^,\s]{1,200}$/, 'must be 1 to 200 characters without commas and spaces');

const headerName = z.string().regex(/^[\w-]{1,100}$/, 'must be the name of a header');

const consoleSecret = z
  .string()
  .min(32, 'must have 32 characters or more')
  .refine((text) => new Set(text).size >= 8, { error: 'must be random: too few of its characters differ' });

/**
 * The name of a time zone. It is converted to Node's own name of the zone, such as `America/New_York` for `us/eastern`.
 */
const timeZone = z
  .string()
  .refine(isTimeZone, { error: TIME_ZONE_RULE })
  .transform((name) => new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone);

const loginLasts = duration('5m', '24h');

/** An IP address or a range. The range of all addresses is refused, because it would trust every sender. */
const addressRange = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .refine((range) => !range.endsWith('/0'));

const addressRanges = z
  .string()
  .transform((text) => text.split(',').map((range) => range.trim()))
  .refine((ranges) => ranges.every((range) => addressRange.safeParse(range).success), {
    error: 'must be IP addresses, or ranges such as 10.0.0.0/8, with commas between them',
  });

/** Settings of the console: its logins, roles and pages. */
export const CONSOLE_SETTINGS = [
  {
    name: 'PAYSESSION_CONSOLE_PUBLIC_URL',
    meaning:
      'The URL of the console in browsers, such as https://payments.example: scheme, host and port. It must be https, except on this machine.',
    schema: publicUrl,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_ISSUER',
    meaning:
      'The issuer URL of the OpenID Connect provider at which people log in. It must be https, except on this machine. The provider redirects to the public URL with the path `/login/callback`.',
    schema: issuerUrl,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_CLIENT_ID',
    meaning: 'The console’s client id at this provider.',
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET',
    meaning:
      'The console’s client secret at this provider. If unset, the console is a public client, whose only proof is PKCE.',
    secret: true,
    schema: text,
  },
  fileRow('PAYSESSION_CONSOLE_OIDC_CLIENT_SECRET_FILE', 'that secret'),
  {
    name: 'PAYSESSION_CONSOLE_OIDC_SCOPE',
    meaning: 'The scopes that the console requests, separated by spaces.',
    default: 'openid profile email',
    schema: oidcScope,
  },
  {
    name: 'PAYSESSION_CONSOLE_NAME_CLAIM',
    meaning:
      'The claim of the id token that names a person in logs and decisions. If unset: `preferred_username`, `email` or `sub`, the first that is present.',
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_ROLE_CLAIM',
    meaning:
      'The claim of the id token that lists a person’s roles: its name, or its path with dots, such as `realm_access.roles`.',
    default: 'roles',
    schema: text,
  },
  {
    name: 'PAYSESSION_CONSOLE_VIEWER_ROLE',
    meaning: 'The role that may view.',
    default: 'paysession-viewer',
    schema: roleName,
  },
  {
    name: 'PAYSESSION_CONSOLE_OPERATOR_ROLE',
    meaning: 'The role that may view and act.',
    default: 'paysession-operator',
    schema: roleName,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_ADDRESSES',
    meaning:
      'The proxies in front of the console: IP addresses, and ranges such as 10.0.0.0/8, separated by commas. Without an OpenID Connect issuer, these proxies name the user of each request.',
    schema: addressRanges,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_USER_HEADER',
    meaning:
      'The header in which such a proxy names the user. The proxy must replace this header if a client sends it.',
    default: 'X-Forwarded-User',
    schema: headerName,
  },
  {
    name: 'PAYSESSION_CONSOLE_PROXY_ROLE_HEADER',
    meaning: 'The header in which such a proxy lists the user’s roles, separated by commas.',
    default: 'X-Forwarded-Groups',
    schema: headerName,
  },
  {
    name: 'PAYSESSION_CONSOLE_SECRET',
    meaning:
      'The secret that encrypts logins and signs forms: at least 32 characters, and the same for all consoles behind the public URL. If unset, the console generates one at startup, and logins end with the process.',
    secret: true,
    schema: consoleSecret,
  },
  fileRow('PAYSESSION_CONSOLE_SECRET_FILE', 'that secret'),
  {
    name: 'PAYSESSION_CONSOLE_LOGIN_LASTS',
    meaning: 'The time after which a login ends, 5m to 24h.',
    default: '8h',
    schema: loginLasts,
  },
  {
    name: 'PAYSESSION_CONSOLE_TIME_ZONE',
    meaning:
      'The merchant’s time zone, such as America/Toronto. The console shows times, days and the totals of days in this zone, and the ledger counts the days of late money in it.',
    default: 'UTC',
    schema: timeZone,
  },
  {
    name: 'PAYSESSION_CONSOLE_PORTAL_URL',
    meaning:
      'The URL of a session’s page in the payment service’s own portal, such as https://portal.example/sessions/{sessionId}. The console fills in {sessionId}, {referenceId}, {key} and {account}. If unset, the console has no link to the portal.',
    schema: portalUrl,
  },
] as const satisfies readonly SettingRow[];
