import { randomBytes } from 'node:crypto';
import type { ConsoleOidcSettings, ConsoleSettings } from '../../src/settings';

/** A person's role: a viewer reads, an operator also acts. */
export type Role = 'viewer' | 'operator';

/** A person who uses the console. */
export interface Operator {
  /** The name that signs decisions. 1 to 200 characters. */
  readonly name: string;
  readonly role: Role;
}

/** The access to the console. */
export type Access = LocalAccess | ProxyAccess | OidcAccess;

/** Access for every user of this machine, under one name. Allowed only if the console listens on a loopback address. */
export interface LocalAccess {
  readonly kind: 'local';
  readonly operator: Operator;
}

/** Options that access by a proxy and access by OpenID Connect share. */
export interface GuardedAccess {
  /** Scheme, host and port of the console in browsers. */
  readonly publicUrl: string;
  /** The name of each role at the proxy or the identity provider. */
  readonly roleNames: Readonly<Record<Role, string>>;
  /** Addresses, and ranges such as 10.0.0.0/8, of the proxies in front of the console. */
  readonly proxies: readonly string[];
  /** The source of the keys for tokens and cookies. All consoles behind the public URL must share one secret. At least 32 characters. */
  readonly secret: string;
}

/** Access for people whose names and roles a trusted proxy sends. */
export interface ProxyAccess extends GuardedAccess {
  readonly kind: 'proxy';
  /** The header that names the user. */
  readonly userHeader: string;
  /** The header that lists the user's roles, separated by commas. */
  readonly roleHeader: string;
}

/** Access for people who log in at an identity provider by OpenID Connect. The provider also supplies their roles. */
export interface OidcAccess extends GuardedAccess, ConsoleOidcSettings {
  readonly kind: 'oidc';
}

/** Returns the access of a console with these settings. By default, every user of this machine has access, under the given name. */
export function accessOfSettings(settings: ConsoleSettings, localName: string): Access {
  const { publicUrl, oidc, proxies, roleNames, userHeader, roleHeader } = settings;
  if (publicUrl === undefined || (oidc === undefined && proxies.length === 0))
    return { kind: 'local', operator: { name: localName, role: 'operator' } };
  const secret = settings.secret ?? randomBytes(32).toString('base64url');
  const guarded = { publicUrl, roleNames, proxies, secret };
  return oidc === undefined
    ? { kind: 'proxy', ...guarded, userHeader, roleHeader }
    : { kind: 'oidc', ...guarded, ...oidc };
}

const LONGEST_NAME = 200;

/** Returns the person that a proxy or an identity provider describes. Without a role or a name, returns `noRole` or `noName`. */
export function operatorOf(
  name: string | undefined,
  roles: readonly string[],
  roleNames: Readonly<Record<Role, string>>,
): Operator | 'noRole' | 'noName' {
  // The role `operator` comes first, because it includes the rights of a viewer.
  const role = (['operator', 'viewer'] as const).find((known) => roles.includes(roleNames[known]));
  if (role === undefined) return 'noRole';
  const plainName = plain(name ?? '');
  return plainName === '' ? 'noName' : { name: plainName, role };
}

/**
 * Makes a name safe for a log and for a decision: removes line breaks, characters that change the direction of writing, and lone
 * surrogates.
 */
const plain = (name: string): string =>
  name
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME)
    .replaceAll(/\p{Cs}/gu, '');
