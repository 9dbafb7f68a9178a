import { leadsHere } from '../../contract/values/loopback';

/** True if a ledger is on another machine, and its URL does not say whether TLS protects it on the way. */
export function isTlsLeftOpen({ url }: { readonly url: string }): boolean {
  const { hostname, searchParams } = new URL(url);
  // As the driver reads it: the parameter wins.
  const host = searchParams.get('host') || decodeURIComponent(hostname);
  const isHere = host === '' || host.startsWith('/') || leadsHere(host);
  return !isHere && !searchParams.has('sslmode') && !searchParams.has('ssl');
}

/** What to do about such a ledger. `sslmode=disable` says that the network is the operator's own. */
export const SAY_TLS =
  'Add ?sslmode=verify-full to PAYSESSION_LEDGER_URL, or ?sslmode=disable if the network is your own.';

/** The warning of a process that uses such a ledger. */
export const TLS_LEFT_OPEN = `the ledger’s URL says nothing of TLS: others on the network may read and change what is sent. ${SAY_TLS}`;
