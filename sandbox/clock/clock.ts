/** Where the sandbox reads the time. Nothing in it waits for a timer: what is due is worked out when it is looked at. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** A clock that moves only when it is told to, for tests of deadlines. */
export interface ManualClock extends Clock {
  advance(byMs: number): void;
}

/** @param startMs milliseconds since the epoch; @default 2026-01-01T00:00:00Z */
export function manualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (byMs) => {
      nowMs += byMs;
    },
  };
}
