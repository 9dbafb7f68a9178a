/** Sends a webhook message to an endpoint. Does not retry, and does not follow redirects. */
import type { LookupAddress } from 'node:dns';
import { lookup as lookUp, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { isCallable, isWebhookUrl } from '../../src/settings/webhooks/address';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import { ProxyDispatchers, boundAnswers } from '../../src/service/http/connections';
import { readRetryAfterMs } from '../../src/service/http/headers';
import { transportReason } from '../../src/service/http/exchange';
import { signatureOf } from './signature';

/** A message to send. */
export interface WebhookMessage {
  /** The id of the message. If a message is sent again, it has the same id as the first time. */
  readonly id: string;
  /** The JSON of the event, such as a `WebhookEvent`. */
  readonly body: string;
}

/** The outcome of sending a message. Never contains the body of the endpoint's answer. */
export type Delivery =
  | { readonly delivered: true; readonly outcome: string }
  | {
      readonly delivered: false;
      /** A status such as `HTTP 503`, or the reason for a missing answer, such as `ECONNREFUSED`. */
      readonly outcome: string;
      /** The wait that the endpoint asks for, in milliseconds. */
      readonly retryAfterMs?: number;
      /** Present if the endpoint answers that it is gone (410). */
      readonly isGone?: true;
      /** Present if the sender must not send the message again. {@link webhookPost} never sets it. */
      readonly isGivenUp?: true;
    };

/** Sends messages to endpoints. `send` never rejects. */
export interface WebhookPost {
  send(endpoint: WebhookEndpoint, message: WebhookMessage): Promise<Delivery>;
  close(): Promise<void>;
}

const CONNECT_WITHIN_MS = 5_000;
const ANSWER_WITHIN_MS = 15_000;
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;
/** The maximum number of bytes of an answer's body that are read and discarded, so that the connection can be reused. */
const MOST_BODY_BYTES = 16 * 1024;
/** The maximum number of bytes of a complete answer, including its headers (up to 16 KiB), interim answers and the framing of chunks. */
const MOST_ANSWER_BYTES = 64 * 1024;
const CONNECTIONS = 16;

/** The outcome of a message to an address that may not be called. */
const FORBIDDEN = 'ADDRESS_FORBIDDEN';

/** Options of {@link webhookPost}. */
export interface WebhookPostOptions {
  /** True if endpoints may be on this machine, as in development. */
  readonly allowsLoopback: boolean;
  /** Resolves a host name to its addresses. @default the operating system's lookup. For an endpoint behind a proxy, the machine's name server */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>;
}

type Resolve = NonNullable<WebhookPostOptions['resolve']>;

const bySystem = (name: string): Promise<readonly LookupAddress[]> => lookUp(name, { all: true });

const OPTIONS = {
  connections: CONNECTIONS,
  pipelining: 1,
  allowH2: false,
  maxOrigins: 1_000,
  headersTimeout: ANSWER_WITHIN_MS,
  bodyTimeout: ANSWER_WITHIN_MS,
  keepAliveTimeout: 3_000,
  connect: { timeout: CONNECT_WITHIN_MS },
};

/** Returns a `WebhookPost` that sends messages over HTTP. Failures are reported in the returned `Delivery`. */
export function webhookPost({ allowsLoopback, resolve }: WebhookPostOptions): WebhookPost {
  const connect = guarded(allowsLoopback, resolve ?? bySystem);
  const direct = new Agent({ ...OPTIONS, connect: boundAnswers(connect, MOST_ANSWER_BYTES) });
  const proxies = new ProxyDispatchers({ ...OPTIONS, mostAnswerBytes: MOST_ANSWER_BYTES });
  const dispatcherFor = async (url: URL): Promise<Dispatcher> => {
    const proxied = proxies.for(url);
    if (proxied === undefined) return direct;
    await refuseKnownPrivate(url.hostname, resolve ?? byNameServer);
    return proxied;
  };
  return {
    send: async (endpoint, message) => {
      if (!isWebhookUrl(endpoint.url, allowsLoopback)) return { delivered: false, outcome: FORBIDDEN };
      try {
        return await post(await dispatcherFor(new URL(endpoint.url)), endpoint, message);
      } catch (error) {
        return { delivered: false, outcome: transportReason(error) };
      }
    },
    close: async () => {
      await Promise.all([direct.destroy(), proxies.destroy()]);
    },
  };
}

/**
 * Refuses a host if it has an address that may not be called. Used behind a proxy: there, the proxy resolves the name for the call, and this
 * network may not be able to resolve public names. So a name that cannot be resolved here is allowed.
 */
async function refuseKnownPrivate(host: string, resolve: Resolve): Promise<void> {
  const found = await resolve(host).catch(() => []);
  if (!found.every(({ address }) => isCallable(address, false))) throw forbidden();
}

/**
 * Resolves a name without Node's thread pool. If no name server answers, lookups in the pool would wait there, and block the lookups for the
 * ledger's connections.
 */
async function byNameServer(name: string): Promise<readonly LookupAddress[]> {
  const resolver = new Resolver({ timeout: 1_000, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((result, index) =>
    result.status === 'rejected'
      ? []
      : result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
  );
}

async function post(
  dispatcher: Dispatcher,
  { url, secrets }: WebhookEndpoint,
  { id, body }: WebhookMessage,
): Promise<Delivery> {
  const timestamp = Math.floor(Date.now() / 1_000);
  const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
  const answer = await request(url, {
    method: 'POST',
    dispatcher,
    signal,
    body,
    headers: {
      'content-type': 'application/json',
      // The answer's body is discarded, so the endpoint need not compress it.
      'accept-encoding': 'identity',
      'user-agent': 'paysession',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secrets, { id, timestamp, body }),
    },
  });
  const { statusCode } = answer;
  // After the status has arrived, an error does not change the outcome.
  await answer.body.dump({ limit: MOST_BODY_BYTES, signal }).catch(() => undefined);
  const outcome = `HTTP ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) return { delivered: true, outcome };
  const bounds = { nowMs: Date.now(), longestMs: LONGEST_RETRY_AFTER_MS };
  const retryAfterMs = readRetryAfterMs(answer.headers['retry-after'], bounds);
  return {
    delivered: false,
    outcome,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(statusCode === 410 && { isGone: true }),
  };
}

/**
 * Connects only to addresses that may be called. Resolves the name once, checks all its addresses, and connects to one of them, so that a later
 * change of the name has no effect. Checks the connected address again before the request is sent.
 */
function guarded(allowsLoopback: boolean, resolve: Resolve): buildConnector.connector {
  // undici passes the options of `connect`, such as `lookup`, to `net.connect`.
  const options: buildConnector.BuildOptions & { readonly lookup: LookupFunction } = {
    timeout: CONNECT_WITHIN_MS,
    allowH2: false,
    lookup: guardedLookup(allowsLoopback, resolve),
  };
  const connect = buildConnector(options);
  return (where, callback) => {
    connect(where, (...result) => {
      const [error, socket] = result;
      if (error !== null || isCallable(socket.remoteAddress ?? '', allowsLoopback)) {
        callback(...result);
        return;
      }
      socket.destroy();
      callback(forbidden(), null);
    });
  };
}

/** Resolves a name. If one of its addresses is forbidden, refuses the name: a forbidden address among allowed ones may be an attack. */
function guardedLookup(allowsLoopback: boolean, resolve: Resolve): LookupFunction {
  return (name, { all }, callback) => {
    resolve(name).then(
      (found) => {
        const [first] = found;
        const areAllowed = found.every(({ address }) => isCallable(address, allowsLoopback));
        if (first === undefined || !areAllowed) callback(forbidden(), []);
        else if (all === true) callback(null, [...found]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error as NodeJS.ErrnoException, []);
      },
    );
  };
}

function forbidden(): NodeJS.ErrnoException {
  return Object.assign(new Error('This address may not be called.'), { code: FORBIDDEN });
}
