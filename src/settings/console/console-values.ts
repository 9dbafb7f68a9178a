/** What the texts of the console's settings may be, and the values that they become. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { isLoopbackHost } from '../../contract/values/loopback';
import { duration } from '../setting-values';

/** What passes through here are logins, and ids of payments: in plain text on this machine alone. */
function isProtected(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** What a portal's template may hold in braces. */
const PORTAL_NAMES: readonly string[] = ['sessionId', 'referenceId', 'key', 'account'];

/** A URL in which each name in braces stands for what is known of a session. */
export const portalUrl = z.string().max(2_000).refine(isPortal, {
  error:
    'must be an https URL in whose path, query or fragment {sessionId}, {referenceId}, {key} and {account} may stand, such as https://portal.example/sessions/{sessionId}',
});

function isPortal(template: string): boolean {
  const named = template.replaceAll(/\{(\w+)\}/g, (braces, name: string) =>
    PORTAL_NAMES.includes(name) ? 'x' : braces,
  );
  // What is filled in leads to no other host.
  const startsWithHost = /^https?:\/\/[^/?#\\{}]+(?:[/?#]|$)/i.test(template);
  return startsWithHost && !/[{}\s]/.test(named) && isProtected(named);
}

export const publicUrl = z
  .string()
  .refine((url) => isProtected(url) && [url, url.replace(/\/$/, '')].includes(new URL(url).origin), {
    error: 'must be an https URL with host and port alone, such as https://payments.example',
  })
  .transform((url) => new URL(url).origin);

/** As it is: tokens name their issuer byte for byte, often with a slash at its end. */
export const issuerUrl = z
  .string()
  .refine((url) => isProtected(url) && !/[?#]/.test(url), { error: 'must be an https URL without a query' });

export const oidcScope = z.string().refine((scope) => scope.split(' ').includes('openid'), {
  error: 'must be scopes with spaces between them, openid among them',
});

export const roleName = z.string().regex(/^[^,\s]{1,200}$/, 'must have no comma or space');

export const headerName = z.string().regex(/^[\w-]{1,100}$/, 'must be the name of a header');

export const consoleSecret = z
  .string()
  .min(32, 'must have 32 characters or more')
  .refine((text) => new Set(text).size >= 8, { error: 'must be random: too few of its characters differ' });

/** By its name in the IANA time zone database, as that writes it. */
export const timeZone = z
  .string()
  .refine(isTimeZone, { error: 'must be a name of the IANA time zone database, such as America/Toronto' })
  .transform((name) => formatIn(name).resolvedOptions().timeZone);

const formatIn = (name: string) => new Intl.DateTimeFormat('en', { timeZone: name });

/** An offset such as +05:00 is none: it knows no summer time. */
function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    formatIn(name);
    return true;
  } catch {
    return false;
  }
}

export const loginLasts = duration('5m', '24h');

export const addressRanges = z
  .string()
  .transform((text) => text.split(',').map((range) => range.trim()))
  .refine((ranges) => ranges.every(isRange), {
    error: 'must be IP addresses, or ranges such as 10.0.0.0/8, with commas between them',
  });

function isRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  // A range of all addresses would believe everybody.
  const isPrefix =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
  return bits > 0 && isPrefix && rest.length === 0;
}
