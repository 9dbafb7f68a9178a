import type { FastifyRequest } from 'fastify';

/** Returns a request's cookies, each as `name=value`. Browsers send those with the same path in order, the oldest first. */
export const cookiesOf = ({ headers }: FastifyRequest): readonly string[] =>
  (headers.cookie ?? '').split(';').map((pair) => pair.trim());

/** Returns the value of a request's cookie: the first, if a browser sends several. `undefined` if there is none. */
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

/** Formats a cookie that scripts cannot read. Lax, not Strict: browsers also send it after a link on another site, and after a login. */
export const cookieText = ({ name, value, maxAgeS, isSecure }: Cookie): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** Returns true if browsers use https for the console. Without a public URL, the console is on this machine, by http. */
export const isHttps = (publicUrl: string | undefined): boolean => publicUrl?.startsWith('https:') === true;
