import type { Language } from '../../src/web/language';
import { CLOCK, type Differing } from '../texts/answers';
import { Refusal, type RefusalReason } from '../http/refusal';
import { textsOf } from '../texts';
import type { OidcAccess } from './access';
import { isRecord } from '../../src/contract/values/json';
import { transportReason } from '../../src/service/http/exchange';

/**
 * The reason why an identity provider could not be reached or trusted, or refused a login. The message is for the log and for `paysession
 * doctor`. The message contains no token. From the provider's answer, it quotes only codes, the status, the content type, and a value that
 * differs from the expected value.
 */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';

  constructor(
    /** Names the code from the provider, the client or the operating system. */
    message: string,
    /** True if the provider could not be reached, or did not answer in time. */
    readonly isUnreached: boolean,
    readonly differing?: Differing,
  ) {
    super(message);
  }
}

/** The codes of `openid-client` for a timeout. */
const TOO_SLOW = ['OAUTH_TIMEOUT', 'OAUTH_ABORT'];

/** The values that an answer of the provider must have. */
type Expected = Pick<OidcAccess, 'issuer' | 'clientId'>;

/** Explains an error of `openid-client`. */
export function providerFault(error: unknown, expected: Expected): ProviderFault {
  const causes = causesOf(error);
  if (causes.some((cause) => cause instanceof TypeError && cause.message === 'fetch failed')) {
    const code = transportReason(causes.at(-1));
    return new ProviderFault(`${code}: the identity provider cannot be reached`, true);
  }
  const code = codeIn(causes);
  const differing = causes.map((cause) => differenceIn(cause, expected)).find((found) => found !== undefined);
  const why = differing === undefined ? answerIn(causes) : textsOf('EN').answers.differing(differing);
  const message = why === undefined ? code : `${code}: ${why}`;
  return new ProviderFault(message, TOO_SLOW.includes(code), differing);
}

/**
 * Returns the refusal of a login. If a value differs from the expected one, the page shows both, because a person can correct one of them.
 */
export function refusalOf(
  cause: ProviderFault,
  reason: RefusalReason = cause.isUnreached ? 'providerUnavailable' : 'loginFailed',
): Refusal {
  const { differing } = cause;
  const detail = differing && ((language: Language) => textsOf(language).answers.differing(differing));
  return new Refusal(reason, {}, detail, { cause });
}

const MOST_CAUSES = 5;

/** Returns the error and its causes, the outermost first. */
function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let one = error; one != null && causes.length < MOST_CAUSES; one = memberOf(one, 'cause'))
    causes.push(one);
  return causes;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Returns the code of an error. The provider's own code takes precedence. */
function codeIn(causes: readonly unknown[]): string {
  const codes = ['error', 'code', 'name'].flatMap((name) => causes.map((cause) => memberOf(cause, name)));
  const code = codes.find((text) => typeof text === 'string' && /^[\w-]{1,60}$/.test(text));
  return typeof code === 'string' ? code : 'unknown';
}

/** Describes the provider's HTTP answer; `undefined` if the error has none. */
function answerIn(causes: readonly unknown[]): string | undefined {
  const status = causes.map((cause) => memberOf(cause, 'status')).find((value) => typeof value === 'number');
  if (status === undefined) return undefined;
  if (causes.some((cause) => memberOf(cause, 'error') === 'invalid_client'))
    return `the identity provider refuses the client (${status}): check ${CLIENT_ID} and its secret`;
  const type = causes.map(contentType).find((found) => found !== undefined);
  const isOfType = causes.some((cause) => memberOf(cause, 'code') === 'OAUTH_RESPONSE_IS_NOT_JSON');
  return `the identity provider answers ${status}${isOfType && type !== undefined ? ` and ${type}` : ''}`;
}

function contentType(cause: unknown): string | undefined {
  const headers = memberOf(cause, 'headers');
  const type = headers instanceof Headers ? headers.get('content-type') : undefined;
  return /^[\w.+-]+\/[\w.+-]+/.exec(type ?? '')?.[0];
}

const ISSUER = 'PAYSESSION_CONSOLE_OIDC_ISSUER';
const CLIENT_ID = 'PAYSESSION_CONSOLE_OIDC_CLIENT_ID';
const TIMES = ['exp', 'nbf', 'iat', 'auth_time'];

/**
 * Returns the metadata member or claim that is not as expected, with both values. Returns `undefined` if the values are secret, as a nonce
 * is.
 */
function differenceIn(cause: unknown, { issuer, clientId }: Expected): Differing | undefined {
  const name = memberOf(cause, 'attribute') ?? memberOf(cause, 'claim');
  const said = memberOf(cause, 'body') ?? memberOf(cause, 'claims');
  if (typeof name !== 'string' || !isRecord(said)) return undefined;
  const there = shown(said[name]);
  if (name === 'issuer' || name === 'iss') return { name, there, here: issuer, from: ISSUER };
  if (name === 'aud' || name === 'azp') return { name, there, here: clientId, from: CLIENT_ID };
  const now = memberOf(cause, 'now');
  if (!TIMES.includes(name) || typeof now !== 'number') return undefined;
  return { name, there: isoOf(said[name]), here: isoOf(now), from: CLOCK };
}

/** Formats a value as one short line. */
const shown = (value: unknown): string =>
  [value]
    .flat()
    .map(String)
    .join(', ')
    .replaceAll(/[\p{Cc}\p{Cf}"\u2028\u2029]/gu, '?')
    .slice(0, 200);

/** Formats seconds since the epoch as a date. */
const isoOf = (seconds: unknown): string => {
  const time = new Date(Number(seconds) * 1_000);
  return Number.isNaN(time.getTime()) ? shown(seconds) : time.toISOString();
};
