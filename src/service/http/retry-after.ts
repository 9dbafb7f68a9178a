/** The longest wait that is taken from the service unless an option says otherwise, in milliseconds: 15 minutes. */
export const LONGEST_RETRY_AFTER_MS = 900_000;

/**
 * Reads a `Retry-After` header, seconds or an HTTP date (contract A71), as milliseconds from `nowMs`, `longestMs` at
 * most. `undefined` when it is absent, past or unreadable.
 */
export function readRetryAfterMs(
  header: string | string[] | undefined,
  nowMs: number,
  longestMs: number,
): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : dateMs(text) - nowMs;
  return waitMs >= 0 ? Math.min(waitMs, longestMs) : undefined;
}

/** An HTTP date names a weekday and GMT; `Date.parse` alone would take much else for a date, such as `-5`. */
function dateMs(text: string): number {
  return /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, .* GMT$/.test(text) ? Date.parse(text) : NaN;
}
