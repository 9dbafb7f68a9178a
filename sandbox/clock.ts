import type { Journal } from './journal';

/**
 * The clock of the sandbox. The sandbox has no timers for planned events, such as an expiry: it applies all events that are due
 * before it next reads sessions or mails. If it sends hints (messages that a session has changed), it also applies them every 250 ms.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that moves only when a test advances it, for tests of deadlines. */
export interface ManualClock extends Clock {
  /** Moves the clock ahead by this many milliseconds. */
  advance(byMs: number): void;
}

/**
 * Returns a clock that moves only when it is advanced.
 *
 * @param startMs milliseconds since 1970 @default 2026-01-01T00:00:00Z
 *
 * @example
 * ```ts
 * const clock = manualClock();
 * const sandbox = createSandbox({ clock });
 * clock.advance(15 * 60_000); // the next read finds an idle session expired
 * ```
 */
export function manualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (byMs) => {
      nowMs += byMs;
    },
  };
}

/** A clock that can be moved ahead: its time is the base clock's time plus `offsetMs`. */
export class MovableClock implements Clock {
  readonly #base: Clock;
  readonly #record;
  #offsetMs = 0;

  constructor(base: Clock, journal: Journal) {
    this.#base = base;
    this.#record = journal.record<number>('clock', (offsetMs = 0) => {
      this.#offsetMs = offsetMs;
    });
  }

  /** The time by which the clock has been moved ahead so far, in milliseconds. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  now(): number {
    return this.#base.now() + this.#offsetMs;
  }

  moveTo(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    this.#record.put(offsetMs);
  }
}
