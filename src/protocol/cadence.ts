import { awaitsSignature, type KnownStateOfKind } from '../contract/statuses';
import type { ResolvedPolicy } from './policy';

/** The rule for the intervals between polls of a session. All times are milliseconds. */
export interface Cadence {
  /** The shortest interval. */
  readonly fastestMs: number;
  /** The longest interval. */
  readonly slowestMs: number;
  /** The steady time: for this long after a change, polls keep the shortest interval. */
  readonly steadyMs: number;
}

/**
 * After the steady time, an interval is this share of the time that has passed since the steady time. On average, a change is noticed half
 * an interval late, which is a twelfth of that time.
 */
const GROWTH = 1 / 6;
const JITTER = 0.1;

/** Returns the interval between polls, given the time since the last change. The interval is steady at first, and then grows. */
export function intervalMs({ fastestMs, slowestMs, steadyMs }: Cadence, sinceChangeMs: number): number {
  return Math.min(Math.max((sinceChangeMs - steadyMs) * GROWTH, fastestMs), slowestMs);
}

/**
 * Returns an interval that is varied by up to a tenth in both directions. Otherwise, sessions that began together would always poll
 * together. `random` is a number from 0 to 1.
 */
export function jittered(milliseconds: number, random: number): number {
  return Math.round(milliseconds * (1 + JITTER * (2 * random - 1)));
}

/**
 * A worker may hold a session, which means that it keeps the session in its memory between two polls. A guard is the activity's heartbeat
 * settings, by which the Temporal server detects that this worker is lost. All times are milliseconds.
 */
export interface Guard {
  /** The time without a heartbeat after which the Temporal server considers the worker lost. */
  readonly heartbeatTimeoutMs: number;
  /** The longest interval between polls that this guard fits. Absent if each poll is a separate attempt of the activity. */
  readonly heldUpToMs?: number;
}

/**
 * If intervals are longer than this when the guard is chosen, each poll is a separate attempt of the activity. Holding the session would
 * then save little.
 */
const HELD_UP_TO_MS = 30 * 60_000;
/** The shortest heartbeat timeout. Otherwise, the timeout is three times the interval at which the guard is chosen. */
const SHORTEST_GUARD_MS = 30_000;
const GUARD_POLLS = 3;
/**
 * A guard fits intervals up to this many thirds of its timeout. It does not fit the longest interval, so that the longest interval, which
 * may last for hours, gets a guard of its own.
 */
const GROWN = 2;

/** Returns the guard of a session that has not changed for `sinceChangeMs`. */
export function guardOf(cadence: Cadence, sinceChangeMs: number): Guard {
  const everyMs = intervalMs(cadence, sinceChangeMs);
  if (everyMs > HELD_UP_TO_MS) return { heartbeatTimeoutMs: SHORTEST_GUARD_MS };
  const heartbeatTimeoutMs = Math.max(SHORTEST_GUARD_MS, GUARD_POLLS * everyMs);
  const guardedMs = heartbeatTimeoutMs / GUARD_POLLS;
  const fitsMs = guardedMs * GROWN;
  const isLast = cadence.slowestMs <= guardedMs;
  return { heartbeatTimeoutMs, heldUpToMs: isLast ? fitsMs : Math.min(fitsMs, cadence.slowestMs - 1) };
}

/**
 * Returns the time between two heartbeats. It is almost as long as the timeout, because each heartbeat costs the Temporal server a write.
 */
export const beatEveryMs = (heartbeatTimeoutMs: number): number => heartbeatTimeoutMs * 0.9;

/** Most payors finish the hosted flow within this time. */
const STEADY_MS = 5 * 60_000;
/** The usual minimum interval between polls while the PAD signature is missing. A signature may take days. */
const FASTEST_FOR_SIGNATURE_MS = 30_000;

/**
 * Returns the rule for a session's intervals. Polls are rarer while the session waits for the PAD signature than while the payor is in the
 * hosted flow.
 */
export function cadenceOf(state: KnownStateOfKind, policy: ResolvedPolicy): Cadence {
  const { fastestPollMs, slowestPollMs, slowestUnsignedPollMs: slowestMs } = policy;
  if (!awaitsSignature(state))
    return { fastestMs: fastestPollMs, slowestMs: slowestPollMs, steadyMs: STEADY_MS };
  const fastestMs = Math.min(Math.max(FASTEST_FOR_SIGNATURE_MS, fastestPollMs), slowestMs);
  return { fastestMs, slowestMs, steadyMs: 0 };
}
