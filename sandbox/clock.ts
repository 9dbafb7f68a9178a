import type { Journal } from './journal';

/** Where the sandbox reads the time. Nothing in it waits for a timer: what is due is worked out when it is looked at. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that moves only when a test advances it, for tests of deadlines. */
export interface ManualClock extends Clock {
  /** Moves the clock ahead by so many milliseconds. */
  advance(byMs: number): void;
}

/**
 * A clock that stands still until it is moved.
 *
 * @param startMs milliseconds since 1970; 2026-01-01T00:00:00Z unless it is given
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

/** A clock that goes on as another one does, ahead of it by as much as it was moved. */
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

  /** By how much it was moved so far, in milliseconds. */
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
