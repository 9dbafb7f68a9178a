/**
 * Host names that always mean the program's own machine. The IPv6 address is in brackets, as in a `Host` header and in a URL.
 */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** True if the host is one of {@link LOOPBACK_HOSTS}, or `::1` without brackets. */
export const isLoopbackHost = (host: string): boolean => host === '::1' || LOOPBACK_HOSTS.includes(host);

/**
 * True if the host name of a URL is a loopback name or address. Does not recognize an IPv4 address that is mapped to IPv6,
 * which URLs write in another form.
 */
export function leadsHere(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isLoopbackHost(host) || isLoopbackAddress(host);
}

/** Loopback addresses as sockets report them. A socket for both IP versions reports IPv4 as `::ffff:127.0.0.1`. */
const ADDRESS = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/;

/** True if the IP address is a loopback address. Expects no brackets. */
export const isLoopbackAddress = (address: string): boolean => ADDRESS.test(address);
