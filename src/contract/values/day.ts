/** True if a text is a day of the calendar, such as 2026-05-06. `Date` alone reads February 30 as a day in March. */
export function isDay(text: string): boolean {
  // PostgreSQL has no year 0.
  const isWritten = /^(?!0000)\d{4}-\d\d-\d\d$/.test(text);
  const time = new Date(`${text}T00:00:00.000Z`);
  return isWritten && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

/** A day, alone or with a time and a zone. The hour 24 is refused. */
const ISO_8601 = /^([^T]+)(T(?!24)\d\d:\d\d(:\d\d([.]\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/**
 * Reads a time in ISO 8601, such as 2026-05-06T14:00:00-04:00. A day alone means its first moment in UTC. Returns `undefined` for a
 * day that does not exist, such as 2026-02-30, and for a time without a zone.
 */
export function readTime(text: string): Date | undefined {
  const [, day = ''] = ISO_8601.exec(text) ?? [];
  const time = new Date(text);
  return isDay(day) && !Number.isNaN(time.getTime()) ? time : undefined;
}

/** The rule that {@link isTimeZone} checks. */
export const TIME_ZONE_RULE = 'must be a name of the IANA time zone database, such as America/Toronto';

/** True if the text is the name of a time zone. Refuses an offset such as +05:00, because an offset has no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const DAY_MS = 86_400_000;

/** Returns the UTC day of a time, such as 2026-05-06. A text must already be in UTC. */
export const dayOf = (time: string | Date): string =>
  (typeof time === 'string' ? time : time.toISOString()).slice(0, 'yyyy-mm-dd'.length);
