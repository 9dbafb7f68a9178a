/** Computes business days: the days on which Canadian banks move money. Pure. */

import { DAY_MS, dayOf } from '../../src/contract/values/day';

/** A rule for a holiday of a year. */
type Holiday =
  /** A fixed date, from the year `since` on. If the date is on a weekend, banks are closed on the next working day instead. */
  | { readonly month: number; readonly date: number; readonly since?: number }
  /** The first Monday on this date or later. */
  | { readonly month: number; readonly mondayFrom: number };

/**
 * The holidays of banks in Canada. They are those of the "Bank of Canada Holiday Schedule" (bankofcanada.ca). QuantLib's settlement calendar
 * (`ql/time/calendars/canada.cpp`) has the same. Family Day and the civic holiday are provincial. In provinces where banks are open on these
 * days, a payment counts as late one day later than it should.
 */
const HOLIDAYS: readonly Holiday[] = [
  { month: 1, date: 1 },
  // Family Day.
  { month: 2, mondayFrom: 15 },
  // Victoria Day, the last Monday before May 25.
  { month: 5, mondayFrom: 18 },
  // Canada Day.
  { month: 7, date: 1 },
  // The civic holiday.
  { month: 8, mondayFrom: 1 },
  // Labour Day.
  { month: 9, mondayFrom: 1 },
  // The National Day for Truth and Reconciliation.
  { month: 9, date: 30, since: 2021 },
  // Thanksgiving.
  { month: 10, mondayFrom: 8 },
  // Remembrance Day.
  { month: 11, date: 11 },
  { month: 12, date: 25 },
  // Boxing Day.
  { month: 12, date: 26 },
];

/** Returns the holidays of a year. Each is the first moment of the day in UTC, in milliseconds. */
function holidaysOf(year: number): ReadonlySet<number> {
  // Good Friday.
  const closed = new Set([easterOf(year) - 2 * DAY_MS]);
  for (const holiday of HOLIDAYS) {
    if ('mondayFrom' in holiday) {
      const from = Date.UTC(year, holiday.month - 1, holiday.mondayFrom);
      closed.add(from + ((8 - new Date(from).getUTCDay()) % 7) * DAY_MS);
    } else if (year >= (holiday.since ?? 0)) {
      let day = Date.UTC(year, holiday.month - 1, holiday.date);
      while (isWeekend(day) || closed.has(day)) day += DAY_MS;
      closed.add(day);
    }
  }
  return closed;
}

/** Returns Easter Sunday of a year of the Gregorian calendar (Meeus, Astronomical Algorithms, chapter 8). */
function easterOf(year: number): number {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
  const g = Math.floor((8 * b + 13) / 25);
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30;
  const m = Math.floor((a + 11 * h) / 319);
  const r = (2 * (b % 4) + 2 * Math.floor(c / 4) - (c % 4) - h + m + 32) % 7;
  const month = Math.floor((h - m + r + 90) / 25);
  return Date.UTC(year, month - 1, (h - m + r + month + 19) % 32);
}

const isWeekend = (atMs: number): boolean => [0, 6].includes(new Date(atMs).getUTCDay());

/** True if banks in Canada move money on the day, such as `2026-05-06`. */
export function isBusinessDay(day: string): boolean {
  const at = Date.parse(day);
  return !isWeekend(at) && !holidaysOf(new Date(at).getUTCFullYear()).has(at);
}

/**
 * Returns the first day whose payments are not late. A payment of an earlier day is late: at least `businessDays` business days have passed
 * since that day, not counting the day itself and today.
 */
export function firstTimelyDay(today: string, businessDays: number): string {
  let day = today;
  for (let passed = 0; passed < businessDays;) {
    day = dayOf(new Date(Date.parse(day) - DAY_MS));
    if (isBusinessDay(day)) passed += 1;
  }
  return day;
}
