import type { ConsoleOidcSettings } from '../../src/settings';

/** What somebody may do: a viewer looks, an operator also acts. */
export type Role = 'viewer' | 'operator';

/** Somebody who uses the console. */
export interface Operator {
  /** As decisions are signed. 1 to 200 characters. */
  readonly name: string;
  readonly role: Role;
}

/** Who may use the console. */
export type Access = LocalAccess | ProxyAccess | OidcAccess;

/** Everybody who reaches it, under one name: only for an address of this machine. */
export interface LocalAccess {
  readonly kind: 'local';
  readonly operator: Operator;
}

/** What every access has that reaches beyond this machine. */
export interface GuardedAccess {
  /** Scheme, host and port that browsers name the console by. */
  readonly publicUrl: string;
  /** The values that stand for a role where people's roles are listed. */
  readonly roleNames: Readonly<Record<Role, string>>;
  /** Addresses, and ranges such as 10.0.0.0/8, of the proxies in front of the console. */
  readonly proxies: readonly string[];
  /** What tokens and cookies are made with; the same for every console behind the public URL. At least 32 characters. */
  readonly secret: string;
}

/** Whom a trusted proxy names. */
export interface ProxyAccess extends GuardedAccess {
  readonly kind: 'proxy';
  /** The header that names the user. */
  readonly userHeader: string;
  /** The header that lists the user's roles, with commas. */
  readonly roleHeader: string;
}

/** Who has logged in at an identity provider, by OpenID Connect. */
export interface OidcAccess extends GuardedAccess, ConsoleOidcSettings {
  readonly kind: 'oidc';
}
