/**
 * The clock of this process. It can be set wrong, as a machine's clock can be. This module must be imported before all others, because some
 * modules keep a reference to `Date.now`. Timers and `performance.now` stay right.
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

/** Sets the clock `offMs` milliseconds ahead of the right time. A negative number sets it back. */
export function putClock(offMs: number): void {
  shiftMs = offMs;
}
