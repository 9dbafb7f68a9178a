/** Which addresses may be called: the internet's, and none of the network that a worker stands in. */
import { BlockList, isIP } from 'node:net';
import { isLoopbackAddress, leadsHere } from '../../contract/values/loopback';

/** Of IPv4, all but these (IANA's special-purpose registry, and the address of a cloud's own services among public ones). */
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

/** Of IPv6, these alone, without those below, which are tunnels to other addresses, examples or not routed. */
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

/** Whether an IP address may be called. One of this machine only where that is allowed, for development. */
export function isCallable(address: string, allowsLoopback: boolean): boolean {
  if (isLoopbackAddress(address)) return allowsLoopback;
  const version = isIP(address);
  if (version === 4) return !refused.check(address, 'ipv4');
  return version === 6 && global.check(address, 'ipv6') && !refused.check(address, 'ipv6');
}

/** What a URL of an endpoint has to be. */
export const URL_RULE =
  'must be an https URL of the internet without user, password and fragment; http and addresses of this machine only with PAYSESSION_NEWS_LOOPBACK=true';

/**
 * Whether news may be sent to a URL, as far as it tells by itself: where a name leads, each connection looks up and checks. Of a private
 * network nothing may be called, however its address is written.
 */
export function isNewsUrl(text: string, allowsLoopback: boolean): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || `${url.username}${url.password}${url.hash}` !== '') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isHere = leadsHere(host);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) return false;
  if (isHere) return allowsLoopback;
  return isIP(host) === 0 || isCallable(host, false);
}

/** Whether a message can be read on its way: http, though to this machine. */
export const isPlain = (url: string): boolean => new URL(url).protocol === 'http:';
