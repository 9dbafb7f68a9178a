/** Reads and writes values of HTTP headers. */

/** The default of the longest wait that is accepted from a `Retry-After`: 15 minutes, in milliseconds. */
export const LONGEST_RETRY_AFTER_MS = 900_000;

/**
 * Reads a `Retry-After` header, which is a number of seconds or an HTTP date (contract rule A71, docs/contract.md). Returns the wait in
 * milliseconds, at most `longestMs`. For a date, the wait counts from `nowMs`. Returns `undefined` if the header is absent or
 * unreadable, or if the date is past.
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
 * Returns the time of the service's answer, in milliseconds since the epoch. Uses the date in the answer, or this machine's clock if
 * the date is missing or invalid.
 */
export function answeredAtMs(date: string | string[] | undefined): number {
  const atMs = dateMs(typeof date === 'string' ? date : '');
  return Number.isNaN(atMs) ? Date.now() : atMs;
}

/**
 * Reads an HTTP date as milliseconds since the epoch. Returns `NaN` if the date is invalid. The text must have a weekday and GMT.
 * `Date.parse` alone is not enough: it accepts texts such as `-5`, and reads February 30 as a day in March.
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

/** Returns credentials in the encoding of the Basic scheme, without the word `Basic` (contract A1). */
export function basicCredentials({ clientId, clientSecret }: Credentials): string {
  return Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64');
}
