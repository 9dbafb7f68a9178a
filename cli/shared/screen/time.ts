import { widthOf, type Screen } from './terminal';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** `3m ago`, or `in 2h`. */
export function relativeTime(time: Date | string, nowMs = Date.now()): string {
  const awayMs = new Date(time).getTime() - nowMs;
  const [unit, unitMs] = UNITS.find(([, ms]) => Math.abs(awayMs) >= ms) ?? UNITS[3];
  const away = Math.trunc(awayMs / unitMs);
  return away === 0 ? 'now' : new Intl.RelativeTimeFormat('en', { style: 'narrow' }).format(away, unit);
}

/** A time for a person at a terminal, relative; for everybody else, exact. */
export function shortTime(time: Date | string, screen: Screen): string {
  return widthOf(screen) === undefined ? new Date(time).toISOString() : relativeTime(time);
}

/** The exact time, and for a person at a terminal how long ago that was. */
export function fullTime(time: string, screen: Screen): string {
  return widthOf(screen) === undefined ? time : `${time} (${relativeTime(time)})`;
}

/** The day of a moment in ISO 8601, UTC. */
export const dayOf = (time: string): string => time.slice(0, 'yyyy-mm-dd'.length);
