/**
 * This process's clock, which can be put forward and back like a machine's. Imported before all else: whoever keeps `Date.now` has
 * this one. What tells how much time passes, and timers, stay as they are.
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

/** Puts the clock this far from the right time, in milliseconds. */
export function putClock(offMs: number): void {
  shiftMs = offMs;
}
