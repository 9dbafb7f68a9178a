/** How the server notices that the worker which has a session in hand is lost. All times are milliseconds. */
export interface Guard {
  /** A worker without a heartbeat for this time is taken for lost. */
  readonly heartbeatTimeoutMs: number;
  /** The longest interval between polls that this guard fits; absent where each poll is an attempt of its own. */
  readonly heldUpToMs?: number;
}

/** Polls further apart are attempts of their own: to keep a session in hand would save little, for hours. */
const HELD_BELOW_MS = 10 * 60_000;
/** If its worker is lost, a session's news is late by three polls at most, or by this where it is longer. */
const SHORTEST_MS = 30_000;
const POLLS = 3;
/** A guard fits until intervals have grown by this. */
const GROWN = 2;

/** The guard of a session whose polls are this far apart, and grow further apart. */
export function guardOf(everyMs: number): Guard {
  if (everyMs >= HELD_BELOW_MS) return { heartbeatTimeoutMs: SHORTEST_MS };
  const heartbeatTimeoutMs = Math.max(SHORTEST_MS, POLLS * everyMs);
  return { heartbeatTimeoutMs, heldUpToMs: (heartbeatTimeoutMs / POLLS) * GROWN };
}

/** The time between two heartbeats: each of them costs the server a write, so they are as few as can be. */
export const beatEveryMs = (heartbeatTimeoutMs: number): number => heartbeatTimeoutMs * 0.9;
