/** HTTP connections: bounded, and through the proxies that the environment names. */
import { BlockList, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fetch, Pool, ProxyAgent, type buildConnector } from 'undici';
import { leadsHere } from '../../contract/values/loopback';
import { SettingsError } from '../../errors';
import { basicCredentials } from './headers';

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy, and the variable that names it. */
export interface EnvironmentProxy {
  readonly variable: string;
  /** The URL, which may contain a user and a password. */
  readonly url: URL;
}

/**
 * Returns the proxy for calls to a URL: that of `HTTPS_PROXY` or `HTTP_PROXY`, unless `NO_PROXY` excepts the URL. Variables in lower
 * case take precedence. An https URL without `HTTPS_PROXY` uses `HTTP_PROXY`, as undici does. Loopback addresses and `localhost` are
 * never called through a proxy.
 *
 * @throws {@link SettingsError} if the proxy's URL is not a valid http or https URL. The message names the variable and not its value.
 */
export function proxyFor(url: URL, env: Environment = process.env): EnvironmentProxy | undefined {
  if (leadsHere(url.hostname)) return undefined;
  const names = url.protocol === 'https:' ? ['https_proxy', 'http_proxy'] : ['http_proxy'];
  const variable = names.map((name) => usedName(name, env)).find((name) => name !== undefined);
  if (variable === undefined || isExcepted(url, valueOf('no_proxy', env) ?? '')) return undefined;
  return { variable, url: proxyUrl(variable, env[variable] ?? '') };
}

/** Returns the name under which a variable has a value. An empty variable in lower case switches off the one in upper case. */
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
    // Refused below, without the text that the error quotes.
  }
  throw new SettingsError([{ path: variable, message: 'must be the http or https URL of a proxy' }]);
}

/**
 * True if `NO_PROXY` excepts the URL. Its entries are `*`, host names that also mean their subdomains, addresses, and ranges of
 * addresses. Each may have a port.
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

/** Options for making and keeping connections. `connect.timeout` is the longest time to connect, in milliseconds. */
export type PoolOptions = Omit<Pool.Options, 'connect'> & {
  readonly connect: { readonly timeout: number };
  /** The maximum size of a whole answer in bytes, with headers, interim answers and the framing of chunks. @default no limit */
  readonly mostAnswerBytes?: number;
};

/** Returns a dispatcher that sends each request through a tunnel that a proxy opens, so that the proxy cannot read https. */
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
    // A CONNECT waits for its answer as long as a request does.
    clientFactory: (origin, made) => new Pool(origin, { ...made, ...(headersTimeout && { headersTimeout }) }),
  });
}

/** The dispatchers of many URLs. URLs with the same proxy share the proxy's connections. */
export class ProxyDispatchers {
  readonly #options: PoolOptions;
  readonly #agents = new Map<string, ProxyAgent>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /**
   * Returns the dispatcher for requests to a URL; `undefined` if no proxy is in between. Throws {@link SettingsError} as
   * {@link proxyFor} does.
   */
  for(url: URL): ProxyAgent | undefined {
    const proxy = proxyFor(url);
    if (proxy === undefined) return undefined;
    const agent = this.#agents.get(proxy.url.href) ?? throughProxy(proxy, this.#options);
    this.#agents.set(proxy.url.href, agent);
    return agent;
  }

  /**
   * Fetches like Node's own `fetch`, but through the proxy, if any, and reads the answer's body whole. Throws {@link SettingsError}
   * as {@link proxyFor} does, and the errors of `fetch`.
   */
  async fetch(url: string, init: object): Promise<Response> {
    const dispatcher = this.for(new URL(url));
    const { status, headers, body } = await fetch(url, { ...init, ...(dispatcher && { dispatcher }) });
    return new Response(body && (await buffer(body)), { status, headers: [...headers] });
  }

  /** Ends all connections. */
  async destroy(): Promise<void> {
    await Promise.all(Array.from(this.#agents.values(), (agent) => agent.destroy()));
  }
}

/**
 * Bounds each answer by all bytes that its connection brings. Headers and bodies have bounds of their own, but interim answers (1xx),
 * the extensions of chunks and empty lines have none. A server that sends them without end would keep a processor busy until the call times
 * out.
 *
 * A connection carries one request at a time. A connection that brings more than `mostBytes` after a request is destroyed with
 * `ANSWER_TOO_LARGE`. Bytes that came in one piece are parsed first, so that an honest answer with a large body keeps its status.
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

/** Bounds the bytes after each request. undici parses the bytes that it takes with `read`, and writes nothing but requests. */
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
