import { isLoopbackAddress, isLoopbackHost } from '../../contract/values/loopback';

/** Where the payment service is. */
export interface ServiceAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path of the base URL, without a slash at its end; empty for a base URL without a path. */
  readonly prefix: string;
}

/** What a base URL that `readBaseUrl` cannot read has to be. */
export const BASE_URL_RULE = 'must be an absolute http or https URL without credentials, query or fragment';

/** Reads a base URL; `undefined` unless it is absolute, http or https, and without credentials, query and fragment. */
export function readBaseUrl(baseUrl: string): ServiceAddress | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined;
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** Whether calls to a base URL can be read on their way: http to anything but this machine. */
export function isReadableOnTheWay(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !isLoopbackHost(hostname) && !isLoopbackAddress(hostname);
}

/**
 * Whether a session id can be one segment of a path. Encoding makes every other text safe, but not these: dots
 * would climb out of the path, nothing would leave a segment out, and a lone surrogate cannot be encoded.
 */
export function isPathSegment(sessionId: string): boolean {
  return !['', '.', '..'].includes(sessionId) && !/\p{Surrogate}/u.test(sessionId);
}
