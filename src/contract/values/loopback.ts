/** Names that lead to this machine, whoever asks. An IPv6 address is in brackets, as in a `Host` header and in a URL. */
export const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether what is listened on, or asked, is this machine by one of its usual names. */
export const isLoopbackHost = (host: string): boolean => host === '::1' || LOOPBACK_HOSTS.includes(host);

/** Whether the host name of a URL leads to this machine, by its usual names or any of its addresses. */
export function leadsHere(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isLoopbackHost(host) || isLoopbackAddress(host);
}

/** Any of the addresses that lead to this machine; a socket for both IP versions writes IPv4 as `::ffff:127.0.0.1`. */
const ADDRESS = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/;

/** Whether an IP address, without brackets, is one of this machine alone. */
export const isLoopbackAddress = (address: string): boolean => ADDRESS.test(address);
