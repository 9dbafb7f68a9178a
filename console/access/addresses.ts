import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { dropOldest } from '../../src/contract/values/drop-oldest';

/** Returns true if an address is in the list. */
export type IsAmong = (address: string) => boolean;

/** Recognizes these addresses, and those of ranges such as 10.0.0.0/8. */
export function among(ranges: readonly string[]): IsAmong {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = withoutZone(address);
    return isIP(plain) !== 0 && list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}

/** Removes the interface of a link-local address: `fe80::1%eth0`. */
const withoutZone = (address: string): string => address.replace(/%.*$/, '');

/** Returns the address that a request came from, before the known proxies. Ignores what other senders claim about it. */
export function clientAddress(request: FastifyRequest, isProxy: IsAmong): string {
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const way = [...forwarded.map((address) => address.trim()), request.ip];
  return way.findLast((address) => isIP(address) !== 0 && !isProxy(address)) ?? request.ip;
}

const WINDOW_MS = 60_000;
/** The limit of login requests within a window. A login takes two requests. */
const MOST_IN_WINDOW = 20;
/** The maximum number of addresses kept: the latest ones. */
const MOST_ADDRESSES = 10_000;

/** Limits how often each address may try to log in. */
export class LoginLimit {
  readonly #windows = new Map<string, { readonly endsAtMs: number; count: number }>();

  /** Counts an attempt. Returns the seconds to wait if there were too many. */
  waitSeconds(address: string): number | undefined {
    const nowMs = Date.now();
    const key = networkOf(withoutZone(address));
    let window = this.#windows.get(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      window = { endsAtMs: nowMs + WINDOW_MS, count: 0 };
      // Deleted first, so that the map stays in the order of time.
      this.#windows.delete(key);
      this.#windows.set(key, window);
      dropOldest(this.#windows, MOST_ADDRESSES);
    }
    window.count += 1;
    return window.count > MOST_IN_WINDOW ? Math.ceil((window.endsAtMs - nowMs) / 1_000) : undefined;
  }
}

/** Returns an IPv4 address, or the first half of an IPv6 address: one subscriber has a whole /64. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill('0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
