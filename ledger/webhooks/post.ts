/** Sends one message to one endpoint, once: nothing is repeated and no redirect followed. */
import { createHmac } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { lookup as lookUp, Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, request, type Dispatcher } from 'undici';
import { isCallable, isWebhookUrl } from '../../src/settings/webhooks/address';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import { ProxyDispatchers, boundAnswers } from '../../src/service/http/connections';
import { readRetryAfterMs } from '../../src/service/http/headers';
import { transportReason } from '../../src/service/http/exchange';
import { secretBytes } from '../../src/settings/webhooks/secret';

/** A message as it is sent. */
export interface WebhookMessage {
  /** The same message has the same id, however often it is sent. */
  readonly id: string;
  /** JSON of a `WebhookEvent`. */
  readonly body: string;
}

/** What became of it. Of an answer nothing but its status is kept. */
export type Delivery =
  | { readonly delivered: true; readonly outcome: string }
  | {
      readonly delivered: false;
      /** `HTTP 503`, or why there was no answer, such as `ECONNREFUSED`. */
      readonly outcome: string;
      /** It asks to be left alone for so long, in milliseconds. */
      readonly retryAfterMs?: number;
      /** It says that it is there no more. */
      readonly isGone?: true;
    };

/** Delivers messages to endpoints. Never rejects. */
export interface WebhookPost {
  send(endpoint: WebhookEndpoint, message: WebhookMessage): Promise<Delivery>;
  close(): Promise<void>;
}

const CONNECT_WITHIN_MS = 5_000;
const ANSWER_WITHIN_MS = 15_000;
const LONGEST_RETRY_AFTER_MS = 24 * 60 * 60_000;
/** What is read of an answer's body, so that its connection can be used again. Nobody looks at it. */
const MOST_BODY_BYTES = 16 * 1024;
/** With all that comes before and within it: a header of 16 KiB, interim answers, the framing of chunks. */
const MOST_ANSWER_BYTES = 64 * 1024;
const CONNECTIONS = 16;

/** An address that may not be called. */
const FORBIDDEN = 'ADDRESS_FORBIDDEN';

/** Options of `webhookPost`. */
export interface WebhookPostOptions {
  /** Whether this machine may be called, for development. */
  readonly allowsLoopback: boolean;
  /** Finds the addresses of a name. @default as the machine does; behind a proxy, as its name server does */
  readonly resolve?: (name: string) => Promise<readonly LookupAddress[]>;
}

type Resolve = NonNullable<WebhookPostOptions['resolve']>;

const onThisMachine = (name: string): Promise<readonly LookupAddress[]> => lookUp(name, { all: true });

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

export function webhookPost({ allowsLoopback, resolve }: WebhookPostOptions): WebhookPost {
  const connect = guarded(allowsLoopback, resolve ?? onThisMachine);
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
 * Behind a proxy, that looks the name up and decides where it leads, since this network may know no name of the internet. A name that is
 * known here to lead to an address that may not be called is refused all the same.
 */
async function refuseKnownPrivate(host: string, resolve: Resolve): Promise<void> {
  const found = await resolve(host).catch(() => []);
  if (!found.every(({ address }) => isCallable(address, false))) throw forbidden();
}

/** Without a thread of the process: where nothing answers for names of the internet, waiting lookups would hold up the ledger's. */
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
      // The answer's body is not read: a receiver need not compress it.
      'accept-encoding': 'identity',
      'user-agent': 'paysession',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secrets, { id, timestamp, body }),
    },
  });
  const { statusCode } = answer;
  // What comes after the status changes nothing, whatever goes wrong with it.
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

/** Signs a message as Standard Webhooks has it: one signature for each secret, apart by spaces. */
export function signatureOf(
  secrets: readonly string[],
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secretBytes(secret)).update(signed).digest('base64')}`)
    .join(' ');
}

/**
 * Connects to nothing but addresses that may be called. The address that is looked up is the one that is called, so that a name cannot
 * lead elsewhere a moment later; and what is connected is looked at once more, before anything is said.
 */
function guarded(allowsLoopback: boolean, resolve: Resolve): buildConnector.connector {
  // Of undici's own, `connect` takes what `net.connect` does.
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

/** All addresses of a name have to be allowed: one that is mixed with others is a trick, too. */
function guardedLookup(allowsLoopback: boolean, resolve: Resolve): LookupFunction {
  const found = async (name: string): Promise<readonly [LookupAddress, ...LookupAddress[]]> => {
    const [first, ...others] = await resolve(name);
    if (first === undefined) throw forbidden();
    if (![first, ...others].every(({ address }) => isCallable(address, allowsLoopback))) throw forbidden();
    return [first, ...others];
  };
  return (name, { all }, callback) => {
    found(name).then(
      (addresses) => {
        if (all === true) callback(null, [...addresses]);
        else callback(null, addresses[0].address, addresses[0].family);
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
