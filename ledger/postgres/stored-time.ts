/** A time as PostgreSQL writes it with the connection's settings: four digits of a year, and whole milliseconds. */
const STORED = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3}))?\+00$/;

/**
 * Returns a time that was read as text (`at::text`), in ISO 8601 with milliseconds. `undefined` if no writer could have written it: `infinity`, a
 * year before 0001 or after 9999, microseconds. The driver reads all of these as something else, or drops them.
 */
export function isoOf(text: string): string | undefined {
  const [, date, time, fraction = ''] = STORED.exec(text) ?? [];
  return date === undefined ? undefined : `${date}T${time}.${fraction.padEnd(3, '0')}Z`;
}
