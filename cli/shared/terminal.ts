import { Help } from 'commander';
import { createColors } from 'picocolors';

/** The part of an output stream that says what it can show. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The colours of a stream: functions that change nothing if the stream has no colours. */
export type Colors = ReturnType<typeof createColors>;

const WIDTH_UNLESS_KNOWN = 80;

/** True if a stream has colours. NO_COLOR wins, then FORCE_COLOR. Otherwise only a terminal has colours, unless TERM is `dumb`. */
export function hasColors({ isTTY }: Screen, env: Environment = process.env): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  return isTTY === true && env['TERM'] !== 'dumb';
}

export const colorsOf = (screen: Screen): Colors => createColors(hasColors(screen));

/** Returns the maximum number of columns of a line; `undefined` if the stream is not a terminal. */
export function widthOf({ isTTY, columns }: Screen): number | undefined {
  return isTTY ? columns || WIDTH_UNLESS_KNOWN : undefined;
}

/** Cuts a text, which must have no colours, to a terminal's width. A cut text ends in …. @param unused columns to leave free */
export function cutTo(text: string, screen: Screen, unused = 0): string {
  const most = (widthOf(screen) ?? Infinity) - unused;
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Breaks a text into lines that fit a terminal's width, and indents all lines except the first. Elsewhere, returns the text as it is. */
export function wrapped(text: string, screen: Screen, indent = 0): string {
  const width = widthOf(screen);
  if (width === undefined) return text;
  return new Help().boxWrap(text, width - indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** Returns a text such as `3m ago` or `in 2h`. */
export function relativeTime(time: Date | string, nowMs = Date.now()): string {
  const awayMs = new Date(time).getTime() - nowMs;
  const [unit, unitMs] = UNITS.find(([, ms]) => Math.abs(awayMs) >= ms) ?? UNITS[3];
  const away = Math.trunc(awayMs / unitMs);
  return away === 0 ? 'now' : new Intl.RelativeTimeFormat('en', { style: 'narrow' }).format(away, unit);
}

/** Returns the time relative to now for a person at a terminal, and the exact time otherwise. */
export function shortTime(time: Date | string, screen: Screen): string {
  return widthOf(screen) === undefined ? new Date(time).toISOString() : relativeTime(time);
}

/** Returns the exact time, and for a person at a terminal also the time relative to now. */
export function fullTime(time: string, screen: Screen): string {
  return widthOf(screen) === undefined ? time : `${time} (${relativeTime(time)})`;
}

/** Returns a comma and the time relative to now for a person at a terminal; otherwise an empty text. */
export const relativeSuffix = (time: string, screen: Screen): string =>
  widthOf(screen) === undefined ? '' : `, ${relativeTime(time)}`;
