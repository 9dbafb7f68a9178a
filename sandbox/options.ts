import type { SandboxClient } from './clients';
import { DEFAULT_CLIENT } from './default-client';
import type { SandboxHints } from './hints';
import { type Clock, systemClock } from './clock';
import { MAX_REQUEST_BYTES, TOKEN_LIFETIME_S } from '../src/contract';
import { PaysessionError } from '../src/errors';
import { checkAllowedHosts } from '../src/web/guards';

/**
 * Options of the sandbox. Many of them decide a rule that the service's specification leaves open. Their defaults are the rules marked D in
 * docs/contract.md.
 */
export interface SandboxOptions {
  /** The merchants that have credentials. @default [DEFAULT_CLIENT] */
  readonly clients?: readonly SandboxClient[];
  /** The clock. @default systemClock */
  readonly clock?: Clock;
  /**
   * The length of one pace, the unit of time of scenarios, in milliseconds. For example, a payor starts after one pace (contract rule A63).
   * @default 1000
   */
  readonly paceMs?: number;
  /** URL at which payors reach the sandbox, for links in mails. @default the address on which the sandbox listens */
  readonly publicUrl?: string;
  /**
   * Host names to serve, without port, in addition to loopback names, the address on which the sandbox listens and the host of
   * `publicUrl`. Requests for other names are refused with 403, because any web site can point its host name at this address.
   * @default []
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Folder in which sessions, tokens and mails survive the end of the process. It is created if it is missing. Only one sandbox at a time
   * can open the folder. It contains payors' data in plain text. @default none: all data is lost with the process
   */
  readonly dataDir?: string;
  /**
   * Pages that may embed the hosted flow: `frame-ancestors` sources, such as `https://shop.example` (contract A60). If the list is a
   * single origin, the flow posts its messages only to pages of that origin (contract A61). @default ['*']
   */
  readonly frameAncestors?: readonly string[];
  /**
   * Called with one line for each answered request: time, method, path, status and duration. Successful health checks have no line. Also
   * called when a hint is not delivered, when `dataDir` cannot be written, and when a new session's `referenceId` begins with `sandbox-`
   * but is not the name of a scenario. @default none
   */
  readonly log?: (line: string) => void;

  /**
   * The receiver of hints, which are messages that a session's status, code or amount has changed (contract A79).
   * @default no hints are sent
   */
  readonly hints?: SandboxHints;

  /** Lifetime of a token, in milliseconds (contract A3). @default 599000 */
  readonly tokenLifetimeMs?: number;
  /** True if the token response has the token's type and lifetime: `token_type` and `expires_in` (contract A2). @default true */
  readonly tokenResponseFields?: boolean;
  /** Lets an e-Transfer omit `options.guarantee` (contract A15). @default false */
  readonly guaranteeOptionalForETransfer?: boolean;
  /** HTTP status that answers a body of the wrong content type (contract A5, A20). @default 400 */
  readonly wrongContentTypeStatus?: 400 | 415;
  /** HTTP status that answers an otherwise valid request for a guaranteed EFT without an account to settle to (contract A35). @default 400 */
  readonly missingAccountStatus?: 400 | 409 | 422;
  /** The name of the response member that holds the detail code (contract A50). @default 'statusDetails' */
  readonly codeMember?: CodeMember;
  /** HTTP status that answers the cancellation of an ended session (contract A55). @default 400 */
  readonly cancelEndedStatus?: 400 | 409;
  /** True if a session that still awaits the PAD signature, `Completed`/`EFT0302`, can be cancelled (contract A55). @default false */
  readonly cancellableWhileUnsigned?: boolean;
  /** The time, in milliseconds, after which an open session without activity of the payor expires (contract A57). @default 900000 */
  readonly idleExpiryMs?: number;
  /** The age, in milliseconds, at which an open session expires in any case (contract A57). @default 86400000 */
  readonly absoluteExpiryMs?: number;
  /** Shows the consent screen when `showConsentScreen` is null or omitted (contract A60). @default true */
  readonly consentByDefault?: boolean;
  /** The number of wrong logins at the bank after which the session fails with EFT0401 (contract A56). @default 3 */
  readonly maxLoginAttempts?: number;
  /**
   * If `true`, a guaranteed EFT fails with EFT0402 when the hosted flow cannot guarantee its amount and has no lower amount to offer
   * (contract A41). If `false`, a preset amount is always guaranteed. A payor who enters an amount that cannot be guaranteed is then asked
   * for another amount. @default false
   */
  readonly failWithoutGuarantee?: boolean;
  /** The number of calls that a client may make in one window. 0 sets no limit (contract A71). @default 0 */
  readonly rateLimitRequests?: number;
  /** The window of the rate limit, in milliseconds (contract A71). @default 60000 */
  readonly rateLimitWindowMs?: number;
  /** Form of `Retry-After`: the time to wait, in seconds, or the date until which to wait (contract A71). @default 'seconds' */
  readonly retryAfterForm?: 'seconds' | 'http-date';

  /** The largest request body, in bytes (contract A20). @default 65536 */
  readonly maxBodyBytes?: number;
  /**
   * The number of sessions to keep. At the limit, a new session replaces the oldest ended one. If all sessions are open, the new one is
   * refused with 503. @default 10000
   */
  readonly maxSessions?: number;
  /** The number of tokens to keep for each client. Beyond it, the oldest token is dropped. @default 100 */
  readonly maxTokensPerClient?: number;
  /** The number of calls to keep in `calls`. Beyond it, the oldest call is dropped. @default 1000 */
  readonly maxCalls?: number;
  /** The number of mails to keep in `outbox`. Beyond it, the oldest mail is dropped. @default 1000 */
  readonly maxMails?: number;
}

/** Possible names of the response member that holds the detail code. Clients accept all of them (contract A50). */
export type CodeMember = 'statusDetails' | 'statusDetail' | 'statusDetailCode';

/** Names of the options that have no default. */
type Optional = 'publicUrl' | 'log' | 'dataDir' | 'hints';

/** The options with their defaults. */
export type SandboxConfig = Required<Omit<SandboxOptions, Optional>> & Pick<SandboxOptions, Optional>;

const MINUTE_MS = 60_000;

const DEFAULTS: SandboxConfig = {
  clients: [DEFAULT_CLIENT],
  clock: systemClock,
  paceMs: 1_000,
  allowedHosts: [],
  frameAncestors: ['*'],
  tokenLifetimeMs: TOKEN_LIFETIME_S * 1_000,
  tokenResponseFields: true,
  guaranteeOptionalForETransfer: false,
  wrongContentTypeStatus: 400,
  missingAccountStatus: 400,
  codeMember: 'statusDetails',
  cancelEndedStatus: 400,
  cancellableWhileUnsigned: false,
  idleExpiryMs: 15 * MINUTE_MS,
  absoluteExpiryMs: 24 * 60 * MINUTE_MS,
  consentByDefault: true,
  maxLoginAttempts: 3,
  failWithoutGuarantee: false,
  rateLimitRequests: 0,
  rateLimitWindowMs: MINUTE_MS,
  retryAfterForm: 'seconds',
  maxBodyBytes: MAX_REQUEST_BYTES,
  maxSessions: 10_000,
  maxTokensPerClient: 100,
  maxCalls: 1_000,
  maxMails: 1_000,
};

/**
 * Returns the options, with the default of each that is absent or `undefined`. Throws `INVALID_SETTINGS` if `publicUrl`,
 * `frameAncestors`, `allowedHosts` or the URL of `hints` is malformed.
 */
export function resolveOptions(options: SandboxOptions): SandboxConfig {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const config: SandboxConfig = { ...DEFAULTS, ...Object.fromEntries(given) };
  checkFrameAncestors(config.frameAncestors);
  checkAllowedHosts(config.allowedHosts);
  checkHintUrl(config.hints?.url);
  return config.publicUrl === undefined ? config : { ...config, publicUrl: toPublicUrl(config.publicUrl) };
}

const isWebUrl = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** Returns the URL without slashes at its end. Throws `INVALID_SETTINGS` if the URL is not a web address, or has a query or a fragment. */
function toPublicUrl(url: string): string {
  if (isWebUrl(url) && !/[?#]/.test(url)) return url.replace(/\/+$/, '');
  throw new PaysessionError(
    'INVALID_SETTINGS',
    'The public URL must begin with http or https and have no query or fragment, such as https://pay.example.',
  );
}

/** Throws `INVALID_SETTINGS` if the URL is present and not a web address. */
function checkHintUrl(url: string | undefined): void {
  if (url === undefined || isWebUrl(url)) return;
  throw new PaysessionError(
    'INVALID_SETTINGS',
    'Hints are sent to a URL that begins with http or https, such as http://127.0.0.1:9465/hints.',
  );
}

const HOST = String.raw`(\*\.)?[a-z\d]([a-z\d.-]*[a-z\d])?|\[[\da-f:]+\]`;

/**
 * Matches one source: `*`, `'none'`, `'self'`, a scheme, or an origin whose host may begin with `*.`. Does not match a character that
 * could begin another directive, such as a semicolon.
 */
const SOURCE = new RegExp(String.raw`^(\*|'none'|'self'|https?:|https?://(${HOST})(:\d{1,5})?)$`, 'i');

/** Throws `INVALID_SETTINGS` if the list is empty or contains an invalid source of `frame-ancestors`. */
export function checkFrameAncestors(sources: readonly string[]): void {
  const wrong = sources.find((source) => !SOURCE.test(source));
  if (sources.length > 0 && wrong === undefined) return;
  throw new PaysessionError(
    'INVALID_SETTINGS',
    `The sites that may embed the hosted flow are given as https://shop.example, or * for all${
      wrong === undefined ? '; the list is empty' : `; ${JSON.stringify(wrong)} is not allowed`
    }.`,
  );
}

/** Returns the origin if the list consists of exactly one origin without wildcards. Otherwise, returns `undefined`. */
export function onlyOrigin(sources: readonly string[]): string | undefined {
  const [source = '', ...others] = sources;
  return others.length === 0 && /^https?:\/\/[^*]+$/i.test(source) ? new URL(source).origin : undefined;
}
