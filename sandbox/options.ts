import type { SandboxClient } from './clients';
import { DEFAULT_CLIENT } from './default-client';
import type { SandboxHints } from './hints';
import { type Clock, systemClock } from './clock';
import { MAX_REQUEST_BYTES, TOKEN_LIFETIME_S } from '../src/contract';
import { PaysessionError } from '../src/errors';
import { checkAllowedHosts } from '../src/web/guards';

/** Options of the sandbox. Many of them decide what the specification leaves open; their defaults are marked D in docs/contract.md. */
export interface SandboxOptions {
  /** The merchants that have credentials. @default [DEFAULT_CLIENT] */
  readonly clients?: readonly SandboxClient[];
  /** The clock. @default systemClock */
  readonly clock?: Clock;
  /** One step of a scenario, in milliseconds (contract A63). @default 1000 */
  readonly paceMs?: number;
  /** URL at which payors reach the sandbox, for links in mails. @default the address on which the sandbox listens */
  readonly publicUrl?: string;
  /**
   * Host names to serve, without port, in addition to loopback names, the address on which the sandbox listens and the host of
   * `publicUrl`. Requests for other names are refused (403), because a web page can make its own name lead here. @default []
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Folder that keeps sessions, tokens and mails when the process ends for any reason; created if it is missing. Only one sandbox at a time
   * can open the folder. It holds payors' data in plain text. @default none: all data is lost with the process
   */
  readonly dataDir?: string;
  /**
   * Pages that may embed the hosted flow: `frame-ancestors` sources, such as `https://shop.example` (contract A60). If it is a single
   * origin, messages go only there (contract A61). @default ['*']
   */
  readonly frameAncestors?: readonly string[];
  /**
   * Called with one line for each answered request, except a health check that succeeds: time, method, path, status and duration. Also
   * called for each hint that is not delivered, each time that `dataDir` cannot be written, and for each new session whose `referenceId`
   * begins with `sandbox-` and names no scenario. @default none
   */
  readonly log?: (line: string) => void;

  /** The receiver of a hint whenever a session's status, code or amount changes (contract A79). @default no hints are sent */
  readonly hints?: SandboxHints;

  /** Lifetime of a token, in milliseconds (contract A3). @default 599000 */
  readonly tokenLifetimeMs?: number;
  /** True if the token response has the token's type and lifetime: `token_type` and `expires_in` (contract A2). @default true */
  readonly tokenResponseFields?: boolean;
  /** Lets an e-Transfer omit `options.guarantee` (contract A15). @default false */
  readonly guaranteeOptionalForETransfer?: boolean;
  /** HTTP status that answers a body of the wrong content type (contract A5, A20). @default 400 */
  readonly wrongContentTypeStatus?: 400 | 415;
  /** HTTP status that answers a guaranteed EFT whose only failure is a missing account to settle to (contract A35). @default 400 */
  readonly missingAccountStatus?: 400 | 409 | 422;
  /** The name of the response member that holds the detail code (contract A50). @default 'statusDetails' */
  readonly codeMember?: CodeMember;
  /** HTTP status that answers the cancellation of an ended session (contract A55). @default 400 */
  readonly cancelEndedStatus?: 400 | 409;
  /** True if a session that still awaits the PAD signature, `Completed`/`EFT0302`, can be cancelled (contract A55). @default false */
  readonly cancellableWhileUnsigned?: boolean;
  /** The time for which a session stays open without payor activity, in milliseconds (contract A57). @default 900000 */
  readonly idleExpiryMs?: number;
  /** The maximum age of an open session, in milliseconds (contract A57). @default 86400000 */
  readonly absoluteExpiryMs?: number;
  /** Shows the consent screen when `showConsentScreen` is null or omitted (contract A60). @default true */
  readonly consentByDefault?: boolean;
  /** Wrong logins at the bank after which the session fails with EFT0401 (contract A56). @default 3 */
  readonly maxLoginAttempts?: number;
  /**
   * Fails a guaranteed EFT with EFT0402 if the hosted flow can neither guarantee its amount nor offer another (contract A41). If `false`, a
   * preset amount is always guaranteed, and a payor who enters an amount that cannot be guaranteed is asked for another. @default false
   */
  readonly failWithoutGuarantee?: boolean;
  /** Calls a client may make in one window; 0 sets no limit (contract A71). @default 0 */
  readonly rateLimitRequests?: number;
  /** The window of the rate limit, in milliseconds (contract A71). @default 60000 */
  readonly rateLimitWindowMs?: number;
  /** Form of `Retry-After`: the time to wait, in seconds, or the date until which to wait (contract A71). @default 'seconds' */
  readonly retryAfterForm?: 'seconds' | 'http-date';

  /** Largest request body, in bytes (contract A20). @default 65536 */
  readonly maxBodyBytes?: number;
  /** Sessions to keep. At the limit, a new one replaces the oldest ended one; if all are open, it is refused with 503. @default 10000 */
  readonly maxSessions?: number;
  /** Tokens to keep for each client; the oldest is dropped. @default 100 */
  readonly maxTokensPerClient?: number;
  /** Calls to keep in `calls`; the oldest is dropped. @default 1000 */
  readonly maxCalls?: number;
  /** Mails to keep in `outbox`; the oldest is dropped. @default 1000 */
  readonly maxMails?: number;
}

/** Possible names of the response member that holds the detail code; clients accept each of them (contract A50). */
export type CodeMember = 'statusDetails' | 'statusDetail' | 'statusDetailCode';

/** Options without a default. */
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

/** Returns the URL without slashes at its end. Throws `INVALID_SETTINGS` unless it is a web address without query and fragment. */
function toPublicUrl(url: string): string {
  if (isWebUrl(url) && !/[?#]/.test(url)) return url.replace(/\/+$/, '');
  throw new PaysessionError(
    'INVALID_SETTINGS',
    'The public URL must begin with http or https and have no query or fragment, such as https://pay.example.',
  );
}

/** Throws `INVALID_SETTINGS` unless the URL is absent or a web address. */
function checkHintUrl(url: string | undefined): void {
  if (url === undefined || isWebUrl(url)) return;
  throw new PaysessionError(
    'INVALID_SETTINGS',
    'Hints are sent to a URL that begins with http or https, such as http://127.0.0.1:9465/hints.',
  );
}

const HOST = String.raw`(\*\.)?[a-z\d]([a-z\d.-]*[a-z\d])?|\[[\da-f:]+\]`;

/** `*`, `'none'`, `'self'`, a scheme, or an origin whose host may begin with `*.`. No source holds a character that ends the directive. */
const SOURCE = new RegExp(String.raw`^(\*|'none'|'self'|https?:|https?://(${HOST})(:\d{1,5})?)$`, 'i');

/** Throws `INVALID_SETTINGS` unless each is a source that `frame-ancestors` takes, and there is at least one. */
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

/** Returns the origin if the list names exactly one, without wildcards; else `undefined`. */
export function onlyOrigin(sources: readonly string[]): string | undefined {
  const [source = '', ...others] = sources;
  return others.length === 0 && /^https?:\/\/[^*]+$/i.test(source) ? new URL(source).origin : undefined;
}
