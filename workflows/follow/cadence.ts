import { intervalMs, jittered, type Cadence } from '../../src/protocol/input/cadence';

/** When polls fail. */
export interface PollFailures {
  /** Failed in a row. */
  readonly failures: number;
  /** What the service asked for with `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number;
  /** Milliseconds since the session was opened or its state last changed. */
  readonly sinceChangeMs: number;
  /** 0 to 1, for the jitter. */
  readonly random: number;
}

/** The longest wait after a failed poll, even if the next poll would be a day away. */
const LONGEST_FAILING_MS = 60 * 60_000;

/** The wait before a failed poll is made again: doubling, not sooner than the next poll would be, `Retry-After` obeyed. */
export function failedPollMs(
  cadence: Cadence,
  { failures, retryAfterMs, sinceChangeMs, random }: PollFailures,
): number {
  const doubled = cadence.fastestMs * 2 ** Math.min(failures, 20);
  // While only a signature is awaited the next poll may be a day away: it is made up for sooner.
  const usual = cadence.steadyMs > 0 ? intervalMs(cadence, sinceChangeMs) : 0;
  const longest = Math.max(cadence.fastestMs, Math.min(cadence.slowestMs, LONGEST_FAILING_MS));
  return Math.max(jittered(Math.min(Math.max(doubled, usual), longest), random), retryAfterMs);
}

const LAST_LOOK_GROWTH = 1 / 6;
const SOONEST_LAST_LOOK_MS = 1_000;

/** The longest wait after a look that failed after the deadline: soon at first, then a sixth of the time since the deadline. */
export function lastLookMs(sinceDeadlineMs: number, random: number): number {
  const grown = Math.max(sinceDeadlineMs * LAST_LOOK_GROWTH, SOONEST_LAST_LOOK_MS);
  return jittered(Math.min(grown, LONGEST_FAILING_MS), random);
}
