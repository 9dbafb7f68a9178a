import { Help } from 'commander';
import { createColors } from 'picocolors';

/** The part of an output stream that says what it can show. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The colours of a stream: functions that change nothing where it shall have none. */
export type Colors = ReturnType<typeof createColors>;

const WIDTH_UNLESS_KNOWN = 80;

/** NO_COLOR wins, then FORCE_COLOR; otherwise a terminal has colours, and a pipe or a file has none. */
export function hasColors({ isTTY }: Screen, env: Environment = process.env): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  return isTTY === true && env['TERM'] !== 'dumb';
}

export const colorsOf = (screen: Screen): Colors => createColors(hasColors(screen));

/** How many columns a line may have; `undefined` where nobody reads it on a screen. */
export function widthOf({ isTTY, columns }: Screen): number | undefined {
  return isTTY ? columns || WIDTH_UNLESS_KNOWN : undefined;
}

/** A text without colours, cut to the width of the screen; what is cut ends in …. @param beside columns to leave free */
export function cutTo(text: string, screen: Screen, beside = 0): string {
  const most = (widthOf(screen) ?? Infinity) - beside;
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** A sentence in lines of the screen's width, those after the first indented. */
export function wrapped(text: string, screen: Screen, indent = 0): string {
  const width = widthOf(screen);
  if (width === undefined) return text;
  return new Help().boxWrap(text, width - indent).replaceAll('\n', `\n${' '.repeat(indent)}`);
}
