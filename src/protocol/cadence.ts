/** How far apart the polls of a session are. All times are milliseconds. */
export interface Cadence {
  /** The shortest interval. */
  readonly fastestMs: number;
  /** The longest interval. */
  readonly slowestMs: number;
  /** How long polls keep to the shortest interval after a change. */
  readonly steadyMs: number;
}

/** After the steady time, an interval is this share of the time since: later news comes late by a twelfth on average. */
const GROWTH = 1 / 6;
const JITTER = 0.1;

/** The interval between polls when nothing has changed for so long: steady at first, then growing with the time. */
export function intervalMs({ fastestMs, slowestMs, steadyMs }: Cadence, sinceChangeMs: number): number {
  return Math.min(Math.max((sinceChangeMs - steadyMs) * GROWTH, fastestMs), slowestMs);
}

/** An interval varied by a tenth either way, so that sessions that began together do not stay together. `random`: 0 to 1. */
export function jittered(milliseconds: number, random: number): number {
  return Math.round(milliseconds * (1 + JITTER * (2 * random - 1)));
}
