import { Help } from 'commander';
import { createColors } from 'picocolors';

/** The properties of an output stream that say if it is a terminal, and how wide. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Functions that colour a text. If the stream has no colours, they return the text unchanged. */
export type Colors = ReturnType<typeof createColors>;

const WIDTH_UNLESS_KNOWN = 80;

/** True if a stream has colours. NO_COLOR decides first, then FORCE_COLOR. Without them, a terminal has colours, unless TERM is `dumb`. */
export function hasColors({ isTTY }: Screen, env: Environment = process.env): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  return isTTY === true && env['TERM'] !== 'dumb';
}

export const colorsOf = (screen: Screen): Colors => createColors(hasColors(screen));

/** Returns the width of the terminal in columns. Returns `undefined` if the stream is not a terminal. */
export function widthOf({ isTTY, columns }: Screen): number | undefined {
  return isTTY ? columns || WIDTH_UNLESS_KNOWN : undefined;
}

/**
 * Cuts a text to the width of the terminal. A cut text ends in …. The text must have no colours.
 *
 * @param unused the number of columns to leave free
 */
export function cutTo(text: string, screen: Screen, unused = 0): string {
  const most = (widthOf(screen) ?? Infinity) - unused;
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Wraps a text to the width of the terminal, and indents all lines except the first. If there is no terminal, returns the text unchanged. */
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

/** At a terminal, returns the time relative to now. Otherwise returns the exact time. */
export function shortTime(time: Date | string, screen: Screen): string {
  return widthOf(screen) === undefined ? new Date(time).toISOString() : relativeTime(time);
}

/** Returns the exact time. At a terminal, adds the time relative to now. */
export function fullTime(time: string, screen: Screen): string {
  return widthOf(screen) === undefined ? time : `${time} (${relativeTime(time)})`;
}

/** At a terminal, returns a comma and the time relative to now. Otherwise returns ''. */
export const relativeSuffix = (time: string, screen: Screen): string =>
  widthOf(screen) === undefined ? '' : `, ${relativeTime(time)}`;
