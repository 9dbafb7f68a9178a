import { leadsHere } from '../../contract/values/loopback';

/** Whether a ledger is on another machine, and its URL does not say whether TLS protects it on the way. */
export function isTlsLeftOpen({ url }: { readonly url: string }): boolean {
  const { hostname, searchParams } = new URL(url);
  const isHere = hostname === '' || leadsHere(hostname);
  return !isHere && !searchParams.has('sslmode') && !searchParams.has('ssl');
}
