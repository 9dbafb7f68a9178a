/** Values of HTTP headers. */

/** The longest accepted wait of a `Retry-After`, unless an option sets another, in milliseconds: 15 minutes. */
export const LONGEST_RETRY_AFTER_MS = 900_000;

/**
 * Reads a `Retry-After` header, seconds or an HTTP date (contract A71), as a wait in milliseconds, `longestMs` at most. A date counts
 * from `nowMs`. Returns `undefined` if the header is absent, past or unreadable.
 */
export function readRetryAfterMs(
  header: string | string[] | undefined,
  { nowMs, longestMs }: { readonly nowMs: number; readonly longestMs: number },
): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : dateMs(text) - nowMs;
  return waitMs >= 0 ? Math.min(waitMs, longestMs) : undefined;
}

/**
 * Returns the time of the service's answer, in milliseconds since the epoch: by the service's clock, or by this machine's if the answer
 * has no valid date.
 */
export function answeredAtMs(date: string | string[] | undefined): number {
  const atMs = dateMs(typeof date === 'string' ? date : '');
  return Number.isNaN(atMs) ? Date.now() : atMs;
}

/**
 * Reads an HTTP date as milliseconds since the epoch; `NaN` if it is invalid. The text must name a weekday and GMT: `Date.parse` alone
 * would accept many other texts as a date, such as `-5`, and February 30 as a day in March.
 */
function dateMs(text: string): number {
  const [, day] = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, (\d\d).* GMT$/.exec(text) ?? [];
  const ms = day === undefined ? NaN : Date.parse(text);
  return new Date(ms).getUTCDate() === Number(day) ? ms : NaN;
}

/** A client's id and secret, or a proxy's user and password. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Returns credentials as the Basic scheme encodes them, without the scheme's name (contract A1). */
export function basicCredentials({ clientId, clientSecret }: Credentials): string {
  return Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64');
}
