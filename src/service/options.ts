import { z } from 'zod';
import type { ExpectedSession, ValidationFailure } from '../contract';
import { SettingsError } from '../errors';
import type { CallScope } from './call-scope';
import { isRecord } from '../contract/values/json';
import { settingFault } from '../contract/values/outside-text';
import { LONGEST_RETRY_AFTER_MS } from './http/headers';
import type { ExchangeTracer } from './http/exchange';
import { leadsHere } from '../contract/values/loopback';
import { unknownFieldFailures } from '../protocol/input';

/** An account at the payment service: the service's address, the client's credentials and limits (specification, "Authentication"). */
export interface ServiceAccount {
  /** The absolute http or https URL of the service. If the URL has a path, all paths of the service follow that path. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * The maximum number of create requests and polls per second, of all workers together. Cancellations never wait for this limit.
   * @default no limit
   */
  readonly callsPerSecond?: number | undefined;
  /** True if traced calls carry W3C's `traceparent` to the service. @default false */
  readonly sendTraceparent?: boolean | undefined;
}

/** Options of a call that the caller may stop. */
export interface CallOptions {
  /** Abort this signal to stop the call. A token request continues, because other calls may also wait for the token. @default none */
  readonly signal?: AbortSignal;
  /** The parent scope. Stopping it also stops this call. @default none */
  readonly scope?: CallScope;
}

export interface CreateCallOptions extends CallOptions {
  /**
   * Called just before the request is sent, when there is a token. Called again before the request is repeated after a 401. The request
   * waits for the returned promise. If the promise rejects, the request is not sent, and the call rejects with the same error.
   * @default nothing is called
   */
  readonly beforeSend?: (() => Promise<void>) | undefined;
}

export interface SessionCallOptions extends CallOptions {
  /** The payment that the answer must be about. An answer about a different payment fails the call. @default not compared */
  readonly expected?: ExpectedSession | undefined;
}

export interface PaymentServiceOptions {
  /** The service's address, and the client's credentials. */
  readonly account: ServiceAccount;
  /**
   * A clock in milliseconds since the epoch. Set it only if time skips, as in tests.
   * @default a steady clock for durations, and the answer's own `Date` for dates in `Retry-After`
   */
  readonly now?: () => number;
  /** The longest time to connect, in milliseconds. @default 5000 */
  readonly connectTimeoutMs?: number;
  /** The longest wait between a sent request and the headers of the answer, in milliseconds. @default 10000 */
  readonly headersTimeoutMs?: number;
  /** The longest pause while an answer's body arrives, in milliseconds. @default 10000 */
  readonly bodyTimeoutMs?: number;
  /** The longest time of one exchange, from connecting to the end of the answer, in milliseconds. @default 15000 */
  readonly exchangeTimeoutMs?: number;
  /**
   * The longest time of a whole call, in milliseconds. It includes the wait for a connection, a token request if needed, and a retry after
   * a 401. It does not include the wait for the call's turn.
   * @default 30000
   */
  readonly callTimeoutMs?: number;
  /** The longest wait that is accepted from a `Retry-After`, in milliseconds. A longer wait is shortened to this. @default 900000 */
  readonly longestRetryAfterMs?: number;
  /** The longest time that `close` waits for running calls, in milliseconds. @default 5000 */
  readonly closeTimeoutMs?: number;
  /** A call renews a token that expires within this time, in milliseconds. At most half of the token's lifetime is used. @default 60000 */
  readonly renewTokenAheadMs?: number;
  /** The maximum number of bytes of an answer's body that are read. @default 262144 */
  readonly maxResponseBytes?: number;
  /** The maximum number of connections, without the spare connections. More calls than this wait for a connection. @default 32 */
  readonly maxConnections?: number;
  /**
   * The number of additional connections for create requests that hang while other calls are answered. They keep hanging requests from
   * blocking other calls.
   * @default twice `maxConnections`
   */
  readonly spareConnections?: number;
  /** Traces each exchange as a span. @default none */
  readonly tracer?: ExchangeTracer | undefined;
}

/** The checked options, with all defaults filled in. */
export interface ServiceConfig
  extends
    Required<Omit<PaymentServiceOptions, 'now' | 'tracer'>>,
    Pick<PaymentServiceOptions, 'now' | 'tracer'> {
  /** Returns the current time of a clock, in milliseconds. */
  readonly clock: () => number;
  readonly address: ServiceAddress;
}

/**
 * Returns the time of a steady clock, in whole milliseconds. The machine's wall clock is not used, because it can be set: if it is set
 * back by an hour, all waits take an hour longer.
 */
export const steadyClock = (): number => Math.floor(performance.now());

/** The longest timer of Node, in milliseconds. A longer timer would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

const limit = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(LONGEST_TIMER_MS, `must be at most ${LONGEST_TIMER_MS}`);

/** The rule for a rate limit, in calls per second. With a lower limit than the minimum, a session could wait for days. */
export const callsPerSecondSchema = z
  .number('must be a number')
  .min(0.01, 'must be at least 0.01')
  .max(10_000, 'must be at most 10000');

/** The rule for a credential: a text that HTTP headers and URLs can contain. */
export const credential = z.string({ error: 'must be text' }).superRefine((text, context) => {
  const fault = settingFault(text);
  if (fault !== undefined) context.addIssue(fault);
});

const accountSchema = z.object({
  baseUrl: z.string().transform((url, context) => {
    const address = readBaseUrl(url);
    if (address === undefined) context.addIssue(BASE_URL_RULE);
    return address ?? z.NEVER;
  }),
  clientId: credential,
  clientSecret: credential,
  callsPerSecond: callsPerSecondSchema.optional(),
  sendTraceparent: z.boolean('must be true or false').optional(),
});

const optionsSchema = z.object({
  account: accountSchema,
  now: z.custom<() => number>().optional(),
  connectTimeoutMs: limit.default(5_000),
  headersTimeoutMs: limit.default(10_000),
  bodyTimeoutMs: limit.default(10_000),
  exchangeTimeoutMs: limit.default(15_000),
  callTimeoutMs: limit.default(30_000),
  longestRetryAfterMs: limit.default(LONGEST_RETRY_AFTER_MS),
  closeTimeoutMs: limit.default(5_000),
  renewTokenAheadMs: limit.default(60_000),
  maxResponseBytes: limit.default(256 * 1024),
  maxConnections: limit.default(32),
  spareConnections: z.int('must be a whole number').min(0, 'must be at least 0').optional(),
  tracer: z.custom<ExchangeTracer>().optional(),
});

/** Returns a failure for each unknown member of the options and of the account. A misspelt limit would have no effect. */
function unknownFailures(options: PaymentServiceOptions): ValidationFailure[] {
  const { account }: { readonly account: unknown } = options;
  const ofOptions = { of: 'the service client’s options', names: Object.keys(optionsSchema.shape) };
  const ofAccount = { of: 'an account', names: Object.keys(accountSchema.shape) };
  return [
    ...unknownFieldFailures({ ...options }, ofOptions),
    ...(isRecord(account) ? unknownFieldFailures(account, ofAccount) : []),
  ];
}

const SPARE_FOR_EACH = 2;

/** Checks the options and fills in the defaults. Throws a `SettingsError` that names each invalid or unknown option, but never a value. */
export function resolveOptions(options: PaymentServiceOptions): ServiceConfig {
  const read = optionsSchema.safeParse(options);
  const unknown = unknownFailures(options);
  if (!read.success || unknown.length > 0) {
    const issues = read.error?.issues ?? [];
    const failures = issues.map(({ path, message }) => ({ path: String(path.at(-1)), message }));
    throw new SettingsError([...failures, ...unknown]);
  }
  const { account } = options;
  const { account: checked, tracer, now, ...limits } = read.data;
  const { spareConnections = SPARE_FOR_EACH * limits.maxConnections } = limits;
  const clock = now ?? steadyClock;
  return {
    ...limits,
    spareConnections,
    account,
    clock,
    address: checked.baseUrl,
    tracer,
    ...(now && { now }),
  };
}

/** The address of the payment service. */
export interface ServiceAddress {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path of the base URL, without a slash at the end. Empty for a base URL without a path. */
  readonly prefix: string;
}

/** The rule that `readBaseUrl` checks, in words. */
export const BASE_URL_RULE = 'must be an absolute http or https URL without credentials, query or fragment';

/** Parses a base URL. Returns `undefined` if the URL breaks `BASE_URL_RULE`. */
export function readBaseUrl(baseUrl: string): ServiceAddress | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) return undefined;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined;
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

/** True if calls to a base URL can be read on the network: the URL is http, and names another machine. */
export function isReadableOnTheWay(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && !leadsHere(hostname);
}
