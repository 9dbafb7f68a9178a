import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { dropOldest } from '../../src/contract/values/drop-oldest';

/** True if the address is in a list of addresses and ranges. */
export type IsAmong = (address: string) => boolean;

/** Returns a function that recognizes the addresses in a list. An entry is an address or a range such as 10.0.0.0/8. */
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

/** Removes the port, and the brackets of an IPv6 address: `192.0.2.1:5678`, `[2001:db8::1]:443`. */
const withoutPort = (entry: string): string => entry.replace(/^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/, '$1$2');

/** The length of the longest address without a zone. */
const LONGEST_ADDRESS = 45;

/**
 * Returns the address from which a request came. A request lists the addresses on its way, and the last one that is not a known proxy
 * counts. All earlier addresses may be forged. So if a known proxy wrote `unknown` in place of an address, the text `unknown` counts as the
 * address.
 */
export function clientAddress(request: FastifyRequest, isProxy: IsAmong): string {
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const way = [...forwarded.map((entry) => withoutPort(entry.trim())), request.ip];
  const address = way.findLast((entry) => entry !== '' && !isProxy(entry)) ?? request.ip;
  return address.slice(0, LONGEST_ADDRESS);
}

const WINDOW_MS = 60_000;
/** The maximum number of login requests from one address within a window. A login takes two requests. */
const MOST_IN_WINDOW = 20;
/** The maximum number of addresses kept: the latest ones. */
const MOST_ADDRESSES = 10_000;

/** Limits how often each address may try to log in. */
export class LoginLimit {
  readonly #windows = new Map<string, { readonly endsAtMs: number; count: number }>();

  /** Counts a login request. Returns the seconds to wait if there were too many. */
  waitSeconds(address: string): number | undefined {
    const nowMs = Date.now();
    const key = networkOf(withoutZone(address));
    let window = this.#windows.get(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      window = { endsAtMs: nowMs + WINDOW_MS, count: 0 };
      // The entry is deleted before it is set again, so that the oldest entry stays the first.
      this.#windows.delete(key);
      this.#windows.set(key, window);
      dropOldest(this.#windows, MOST_ADDRESSES);
    }
    window.count += 1;
    return window.count > MOST_IN_WINDOW ? Math.ceil((window.endsAtMs - nowMs) / 1_000) : undefined;
  }
}

/**
 * Returns the first half of an IPv6 address, because one subscriber has a whole /64. Returns an IPv4 address unchanged, also in its IPv6
 * form.
 */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const { hostname } = new URL(`http://[${address}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = (tail ?? '').split(':').filter((group) => group !== '');
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill('0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}
