import type { FastifyRequest } from 'fastify';

/** Returns a request's cookies, each as `name=value`. Browsers send cookies with the same path from the oldest to the newest. */
export const cookiesOf = ({ headers }: FastifyRequest): readonly string[] =>
  (headers.cookie ?? '').split(';').map((pair) => pair.trim());

/** Returns the value of the request's first cookie with this name; `undefined` if there is none. */
export function cookieOf(request: FastifyRequest, name: string): string | undefined {
  const pair = cookiesOf(request).find((pair) => pair.startsWith(`${name}=`));
  return pair?.slice(name.length + 1);
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** 0 deletes the cookie. */
  readonly maxAgeS: number;
  /** True if browsers may send it only by https. */
  readonly isSecure: boolean;
}

/**
 * Formats a cookie that scripts cannot read. `SameSite` is `Lax` and not `Strict`, so that browsers also send the cookie when a person
 * comes from another site by a link or from a login.
 */
export const cookieText = ({ name, value, maxAgeS, isSecure }: Cookie): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** True if browsers use https for the console. A console without a public URL is on this machine and uses http. */
export const isHttps = (publicUrl: string | undefined): boolean => publicUrl?.startsWith('https:') === true;
