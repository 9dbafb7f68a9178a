/** Names that lead every program to its own machine. An IPv6 address is in brackets, as in a `Host` header and in a URL. */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** True if the host is one of {@link LOOPBACK_HOSTS}, or `::1` without brackets. */
export const isLoopbackHost = (host: string): boolean => host === '::1' || LOOPBACK_HOSTS.includes(host);

/**
 * True if the host name of a URL is a loopback name or address. In URLs, mapped IPv4 addresses have another form, which is not
 * recognized.
 */
export function leadsHere(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isLoopbackHost(host) || isLoopbackAddress(host);
}

/** Loopback addresses, as sockets write them. A socket for both IP versions writes IPv4 as `::ffff:127.0.0.1`. */
const ADDRESS = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/;

/** True if the IP address, without brackets, belongs only to this machine. */
export const isLoopbackAddress = (address: string): boolean => ADDRESS.test(address);
