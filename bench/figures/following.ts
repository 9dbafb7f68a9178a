import { beatEveryMs, guardOf, intervalMs, type Cadence } from '../../src/protocol/cadence';

/** The work of following a session in which nothing happens, by the rules of `src/protocol/cadence.ts`. */
export interface Following {
  readonly polls: number;
  /** Executions of the activity. */
  readonly executions: number;
  /** Attempts in all executions. */
  readonly attempts: number;
  readonly heartbeats: number;
}

/** Scheduled, started and completed, and the three events of the workflow task that follows. */
const EVENTS_OF_AN_EXECUTION = 6;

export const eventsOf = ({ executions }: Pick<Following, 'executions'>): number =>
  executions * EVENTS_OF_AN_EXECUTION;
export const actionsOf = ({ attempts, heartbeats }: Following): number => attempts + heartbeats;

/**
 * Computes the work of following a session for a time, on a worker that always holds the session if the rules allow
 * it. Leaves out the jitter of polls.
 */
export function following(cadence: Cadence, forMs: number): Following {
  const total = { polls: 0, executions: 0, attempts: 0, heartbeats: 0 };
  for (let atMs = 0; atMs < forMs;) {
    const { heartbeatTimeoutMs, heldUpToMs } = guardOf(cadence, atMs);
    const beganAtMs = atMs;
    const isOver = () => atMs >= forMs || intervalMs(cadence, atMs) > (heldUpToMs ?? Infinity);
    total.executions += 1;
    // The first attempt does not poll at once: the worker holds the session, or the server begins the next attempt later.
    total.attempts += 1;
    while (!isOver()) {
      atMs = Math.min(atMs + intervalMs(cadence, atMs), forMs);
      total.polls += 1;
      if (heldUpToMs === undefined) total.attempts += 1;
    }
    if (heldUpToMs !== undefined) {
      total.heartbeats += Math.floor((atMs - beganAtMs) / beatEveryMs(heartbeatTimeoutMs));
    }
  }
  return total;
}
