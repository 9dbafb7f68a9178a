/** Decides to which addresses webhooks may be sent: public addresses of the internet, and loopback addresses if they are allowed. */
import { BlockList, isIP } from 'node:net';
import { isLoopbackAddress, leadsHere } from '../../contract/values/loopback';

/** The refused IPv4 ranges: IANA's special-purpose ranges, multicast, and a public address that a cloud uses internally. */
const NOT_GLOBAL_V4: readonly (readonly [address: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Azure's wire server.
  ['168.63.129.16', 32],
];

/**
 * The range of global IPv6 addresses. `NOT_GLOBAL_V6` has the exceptions: tunnels to other addresses, example addresses, and ranges that
 * are not routed.
 */
const GLOBAL_V6 = ['2000::', 3] as const;
const NOT_GLOBAL_V6: readonly (readonly [address: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const refused = new BlockList();
for (const [address, prefix] of NOT_GLOBAL_V4) refused.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of NOT_GLOBAL_V6) refused.addSubnet(address, prefix, 'ipv6');
const global = new BlockList();
global.addSubnet(...GLOBAL_V6, 'ipv6');

/**
 * The IPv6 ranges whose addresses contain an IPv4 address in their last 32 bits. The first range is NAT64's well-known prefix (RFC 6052),
 * with which DNS64 answers for a name that has only IPv4 addresses. The second range has the IPv4-mapped addresses.
 *
 * NAT64's prefix for local use (64:ff9b:1::/48) is not here, and is refused, because it has a meaning only in its own network.
 */
const EMBEDDING_V4: readonly (readonly [address: string, prefix: number])[] = [
  ['64:ff9b::', 96],
  ['::ffff:0:0', 96],
];
const embedding = new BlockList();
for (const [address, prefix] of EMBEDDING_V4) embedding.addSubnet(address, prefix, 'ipv6');

/** True if webhooks may be sent to an IP address. Loopback addresses must be allowed, for development. */
export function isCallable(address: string, allowsLoopback: boolean): boolean {
  if (isLoopbackAddress(address)) return allowsLoopback;
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, 'ipv4');
    case 6:
      if (embedding.check(address, 'ipv6')) return isCallable(embeddedV4(address), false);
      return global.check(address, 'ipv6') && !refused.check(address, 'ipv6');
    default:
      return false;
  }
}

/**
 * Returns the IPv4 address in the last 32 bits of an IPv6 address. Returns an empty text for an address with a zone, such as `%eth0`,
 * because it is not an address of the internet.
 */
function embeddedV4(address: string): string {
  if (!URL.canParse(`http://[${address}]`)) return '';
  // Parsing the URL normalises the address: `::` replaces the zeros before the last 32 bits.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The rule for the URL of an endpoint, in words. */
export const URL_RULE =
  'must be an https URL of the internet without user, password and fragment; http and addresses of this machine only with PAYSESSION_WEBHOOK_LOOPBACK=true';

/**
 * True if webhooks may be sent to the URL. Checks only the text of the URL: refuses an address of a private network in any spelling. The
 * addresses of a host name are checked when a webhook is sent.
 */
export function isWebhookUrl(text: string, allowsLoopback: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || `${url.username}${url.password}${url.hash}` !== '') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isHere = leadsHere(host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) return false;
  if (isHere) return allowsLoopback;
  return isIP(host) === 0 || isCallable(host, false);
}

/** True if messages to the URL are sent in plain text, by http. That is allowed only for this machine. */
export const isPlain = (url: string): boolean => new URL(url).protocol === 'http:';
