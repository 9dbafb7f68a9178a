/** Makes HTTP connections: through the proxies that the environment names, and with a limit for the size of answers. */
import { BlockList, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fetch, Pool, ProxyAgent, type buildConnector } from 'undici';
import { leadsHere } from '../../contract/values/loopback';
import { SettingsError } from '../../errors';
import { basicCredentials } from './headers';

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy, and the environment variable that names it. */
export interface EnvironmentProxy {
  readonly variable: string;
  /** The URL, which may contain a user and a password. */
  readonly url: URL;
}

/**
 * Returns the proxy for calls to a URL, as `HTTPS_PROXY` or `HTTP_PROXY` names it. Returns `undefined` if `NO_PROXY` excludes the URL.
 * Variables in lower case take precedence. As in undici, an https URL uses `HTTP_PROXY` if `HTTPS_PROXY` is not set. Loopback addresses and
 * `localhost` are never called through a proxy.
 *
 * @throws {@link SettingsError} if the proxy's URL is not a valid http or https URL. The message names the variable, but not its value.
 */
export function proxyFor(url: URL, env: Environment = process.env): EnvironmentProxy | undefined {
  if (leadsHere(url.hostname)) return undefined;
  const names = url.protocol === 'https:' ? ['https_proxy', 'http_proxy'] : ['http_proxy'];
  const variable = names.map((name) => usedName(name, env)).find((name) => name !== undefined);
  if (variable === undefined || isExcepted(url, valueOf('no_proxy', env) ?? '')) return undefined;
  return { variable, url: proxyUrl(variable, env[variable] ?? '') };
}

/**
 * Returns the name, in lower or upper case, under which a variable has a value. If the variable in lower case is set but empty, the
 * variable in upper case does not count.
 */
function usedName(name: string, env: Environment): string | undefined {
  const used = env[name] === undefined ? name.toUpperCase() : name;
  return (env[used] ?? '') === '' ? undefined : used;
}

function valueOf(name: string, env: Environment): string | undefined {
  const used = usedName(name, env);
  return used && env[used];
}

function proxyUrl(variable: string, value: string): URL {
  try {
    const url = new URL(value.includes('://') ? value : `http://${value}`);
    decodeURIComponent(`${url.username}:${url.password}`);
    if (/^https?:$/.test(url.protocol)) return url;
  } catch {
    // The value is refused below, by an error that does not quote it.
  }
  throw new SettingsError([{ path: variable, message: 'must be the http or https URL of a proxy' }]);
}

/**
 * True if `NO_PROXY` excludes the URL. The entries are `*`, host names (which include their subdomains), addresses, and ranges of
 * addresses. Each entry may have a port.
 */
function isExcepted(url: URL, exceptions: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, named = '', onlyPort = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [undefined, entry];
      const exception = named.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
      if (exception === '' || onlyPort !== port) return false;
      return (
        exception === '*' || host === exception || host.endsWith(`.${exception}`) || isWithin(host, exception)
      );
    });
}

/** True if an IP address is in a range such as `10.0.0.0/8`. */
function isWithin(address: string, range: string): boolean {
  const [first = '', prefix = ''] = range.split('/');
  const version = isIP(address);
  if (version === 0 || version !== isIP(first) || !/^\d+$/.test(prefix)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (Number(prefix) > (version === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(first, Number(prefix), family);
  return list.check(address, family);
}

/** Options of a pool of connections. `connect.timeout` is the longest time to connect, in milliseconds. */
export type PoolOptions = Omit<Pool.Options, 'connect'> & {
  readonly connect: { readonly timeout: number };
  /** The maximum size of a whole answer in bytes, including headers, interim answers and the framing of chunks. @default no limit */
  readonly mostAnswerBytes?: number;
};

/** Returns a dispatcher that sends requests through a proxy. Each request has a tunnel, so the proxy cannot read https. */
export function throughProxy(
  { url }: EnvironmentProxy,
  { mostAnswerBytes, ...options }: PoolOptions,
): ProxyAgent {
  const { connect, headersTimeout } = options;
  const [clientId, clientSecret] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return new ProxyAgent({
    ...options,
    uri: url.origin,
    ...(clientId !== '' && { token: `Basic ${basicCredentials({ clientId, clientSecret })}` }),
    proxyTls: connect,
    requestTls: connect,
    ...(mostAnswerBytes !== undefined && {
      // `connect` opens a tunnel through the proxy.
      factory: (origin: string | URL, { connect, ...made }: Pool.Options) =>
        new Pool(origin, {
          ...made,
          ...(typeof connect === 'function' && { connect: boundAnswers(connect, mostAnswerBytes) }),
        }),
    }),
    // The request that opens a tunnel (CONNECT) has the same time limit for its answer as other requests.
    clientFactory: (origin, made) => new Pool(origin, { ...made, ...(headersTimeout && { headersTimeout }) }),
  });
}

/** The dispatchers for many URLs. URLs with the same proxy share the proxy's connections. */
export class ProxyDispatchers {
  readonly #options: PoolOptions;
  readonly #agents = new Map<string, ProxyAgent>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Returns the dispatcher for requests to a URL; `undefined` if no proxy is used. Throws {@link SettingsError} as {@link proxyFor} does.
   */
  for(url: URL): ProxyAgent | undefined {
    const proxy = proxyFor(url);
    if (proxy === undefined) return undefined;
    const agent = this.#agents.get(proxy.url.href) ?? throughProxy(proxy, this.#options);
    this.#agents.set(proxy.url.href, agent);
    return agent;
  }

  /**
   * Fetches a URL as Node's own `fetch` does, but through the proxy, if there is one. Reads the whole body of the answer. Throws
   * {@link SettingsError} as {@link proxyFor} does, and the errors of `fetch`.
   */
  async fetch(url: string, init: object): Promise<Response> {
    const dispatcher = this.for(new URL(url));
    const { status, headers, body } = await fetch(url, { ...init, ...(dispatcher && { dispatcher }) });
    return new Response(body && (await buffer(body)), { status, headers: [...headers] });
  }

  /** Closes all connections at once. */
  async destroy(): Promise<void> {
    await Promise.all(Array.from(this.#agents.values(), (agent) => agent.destroy()));
  }
}

/**
 * Limits the size of each answer: counts all bytes that arrive on its connection. Headers and bodies already have their own limits, but
 * interim answers (1xx), the extensions of chunks and empty lines do not. If a server sends these without end, the client is busy until the
 * call times out.
 *
 * A connection carries one request at a time. If more than `mostBytes` arrive after a request, the connection is destroyed with the error
 * `ANSWER_TOO_LARGE`. The bytes that have already arrived are parsed first, so the status of a normal answer with a large body is still
 * known.
 */
export function boundAnswers(connect: buildConnector.connector, mostBytes: number): buildConnector.connector {
  return (where, callback) => {
    connect(where, (...result) => {
      const [error, socket] = result;
      if (error === null) boundReads(socket, mostBytes);
      callback(...result);
    });
  };
}

/** Limits the bytes that arrive after each request. Relies on undici: it reads bytes with `read`, and writes only requests. */
function boundReads(socket: Duplex, mostBytes: number): void {
  const [read, write] = [socket.read.bind(socket), socket.write.bind(socket)];
  let seen = 0;
  const writeAndCount = (...args: Parameters<typeof write>): boolean => {
    seen = 0;
    return write(...args);
  };
  const readWithin = (size?: number): unknown => {
    if (seen > mostBytes) {
      socket.destroy(tooLarge());
      return null;
    }
    const bytes: unknown = read(size);
    if (Buffer.isBuffer(bytes)) seen += bytes.length;
    return bytes;
  };
  Object.assign(socket, { read: readWithin, write: writeAndCount });
}

const tooLarge = (): Error =>
  Object.assign(new Error('The answer has too many bytes.'), { code: 'ANSWER_TOO_LARGE' });
