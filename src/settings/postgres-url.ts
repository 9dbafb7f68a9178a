/** Checks the URL of the ledger's PostgreSQL database, and whether the URL decides about TLS. */
import { leadsHere } from '../contract/values/loopback';
import { settingFault } from '../contract/values/outside-text';

const SUCH_AS = 'must be a URL such as postgresql://USER:PASSWORD@HOST:5432/DATABASE';

const SEVERAL_HOSTS =
  'names several hosts, which is not supported: name one address that leads to the primary server, such as that of a pooler or a service';

/**
 * URL parameters that choose the server or the password, and the value with which each has no effect. PostgreSQL's own library uses
 * these parameters. The ledger's driver would silently ignore them. So a URL is refused if one of them has another value.
 */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  target_session_attrs: 'any',
  load_balance_hosts: 'disable',
  hostaddr: '',
  service: '',
  servicefile: '',
  passfile: '',
};

/**
 * Returns what is wrong with the URL of a PostgreSQL database, or `undefined`. The text quotes no value of the URL, because the URL
 * may contain a password.
 */
export function postgresFault(value: string): string | undefined {
  const [, hosts = ''] = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#@]*)/.exec(value) ?? [];
  if (hosts.includes(',')) return SEVERAL_HOSTS;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol) || url.pathname.length <= 1) return SUCH_AS;
  if (!isReadable(`${url.username}${url.password}`)) return SUCH_AS;
  const { searchParams } = url;
  if (['host', 'port'].some((name) => searchParams.get(name)?.includes(','))) return SEVERAL_HOSTS;
  const notTaken = Object.entries(NOT_TAKEN).find(
    ([name, harmless]) => searchParams.has(name) && searchParams.get(name) !== harmless,
  );
  if (notTaken !== undefined) return `has the parameter ${notTaken[0]}, which is not supported`;
  const timeoutMs = connectTimeoutMs(value);
  return timeoutMs >= 1_000 && timeoutMs <= LONGEST_CONNECT_MS ? undefined : NOT_SECONDS;
}

const LONGEST_CONNECT_MS = 300_000;
const NOT_SECONDS = 'has a connect_timeout that is not a whole number of seconds from 1 to 300';

/**
 * Returns the longest wait for a connection, in milliseconds, from the URL's `connect_timeout`. Returns `NaN` if it is not a whole
 * number.
 */
export function connectTimeoutMs(url: string): number {
  const seconds = new URL(url).searchParams.get('connect_timeout') ?? '2';
  return /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : NaN;
}

/** True if an escaped part of a URL is text without control characters. A secret may have been escaped together with its final line break. */
function isReadable(escaped: string): boolean {
  try {
    return settingFault(decodeURIComponent(escaped)) === undefined;
  } catch {
    return false;
  }
}

/** The URL parameters that decide whether TLS is used. The last three name certificates and a key, and so turn TLS on. */
const TLS_PARAMETERS = ['sslmode', 'ssl', 'sslrootcert', 'sslcert', 'sslkey'];

/** True if the ledger's database is on another machine, and the URL has no parameter that decides whether TLS is used. */
export function isTlsLeftOpen({ url }: { readonly url: string }): boolean {
  const { hostname, searchParams } = new URL(url);
  // As in the driver, the parameter `host` takes precedence over the host in the URL.
  const host = searchParams.get('host') || decodeURIComponent(hostname);
  const isHere = host === '' || host.startsWith('/') || leadsHere(host);
  return !isHere && !TLS_PARAMETERS.some((name) => searchParams.has(name));
}

/**
 * The remedy for a URL that does not decide about TLS. With `sslmode=disable`, the operator states that the network is their own.
 */
export const SAY_TLS =
  'Add ?sslmode=verify-full to PAYSESSION_LEDGER_URL, or ?sslmode=disable if the network is your own.';

/** The warning about a URL that does not decide about TLS. */
export const TLS_LEFT_OPEN = `the ledger’s URL says nothing of TLS: others on the network may read and change what is sent. ${SAY_TLS}`;
