import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Whether an address is one of those named. */
export type IsAmong = (address: string) => boolean;

/** Addresses, and ranges such as 10.0.0.0/8. */
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

/** An address of one link names its interface, too: `fe80::1%eth0`. */
export const withoutZone = (address: string): string => address.replace(/%.*$/, '');

/** The address that a request came from, before the proxies that are known: what only others say of it is not believed. */
export function clientAddress(request: FastifyRequest, isProxy: IsAmong): string {
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const way = [...forwarded.map((address) => address.trim()), request.ip];
  return way.findLast((address) => isIP(address) !== 0 && !isProxy(address)) ?? request.ip;
}
