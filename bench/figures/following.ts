import { beatEveryMs, guardOf, intervalMs, type Cadence } from '../../src/protocol/cadence';

/**
 * The work of following a session while its state does not change. Computed from the rules in
 * `src/protocol/cadence.ts`.
 */
export interface Following {
  readonly polls: number;
  /** Executions of the activity `followSession`. */
  readonly executions: number;
  /** Attempts in all executions together. */
  readonly attempts: number;
  readonly heartbeats: number;
}

/** The activity is scheduled, started and completed. The workflow task that follows has three events, too. */
const EVENTS_OF_AN_EXECUTION = 6;

export const eventsOf = ({ executions }: Pick<Following, 'executions'>): number =>
  executions * EVENTS_OF_AN_EXECUTION;
export const actionsOf = ({ attempts, heartbeats }: Following): number => attempts + heartbeats;

/**
 * Computes the work of following a session for this time. Assumes a worker that keeps the session in memory between
 * polls (holds it) whenever the rules allow this. Ignores the jitter of polls.
 */
export function following(cadence: Cadence, forMs: number): Following {
  const total = { polls: 0, executions: 0, attempts: 0, heartbeats: 0 };
  for (let atMs = 0; atMs < forMs;) {
    const { heartbeatTimeoutMs, heldUpToMs } = guardOf(cadence, atMs);
    const beganAtMs = atMs;
    const isOver = () => atMs >= forMs || intervalMs(cadence, atMs) > (heldUpToMs ?? Infinity);
    total.executions += 1;
    // The first attempt does not poll at once. The worker waits with the session in memory, or the attempt ends and the
    // server begins another one later.
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
