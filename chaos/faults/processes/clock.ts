/**
 * The clock of this process, which can be moved forward and back like a machine's. This module must be imported before
 * all others, so that each module that keeps a reference to `Date.now` has this one. Timers and measured durations stay
 * right.
 */
const RealDate = Date;
let shiftMs = 0;

class ShiftedDate extends RealDate {
  constructor(...given: readonly unknown[]) {
    if (given.length === 0) super(ShiftedDate.now());
    else super(...(given as [number]));
  }

  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;

/** Sets the clock this far from the right time, in milliseconds. */
export function putClock(offMs: number): void {
  shiftMs = offMs;
}
