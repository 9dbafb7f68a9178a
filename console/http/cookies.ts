import type { FastifyRequest } from 'fastify';

/** A cookie of a request by its name; the first, where a browser sends several of a name. */
export function cookieOf({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** 0 takes it from the browser. */
  readonly maxAgeS: number;
  /** True if browsers send it by https alone. */
  readonly isSecure: boolean;
}

/** A cookie as it is set: no script reads it. Lax, not Strict: it comes with who follows a link, or comes back from a login. */
export const cookieText = ({ name, value, maxAgeS, isSecure }: Cookie): string =>
  `${name}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;

/** True if browsers reach the console by https. Without a public URL they reach it on this machine, by http. */
export const isHttps = (publicUrl: string | undefined): boolean => publicUrl?.startsWith('https:') === true;
