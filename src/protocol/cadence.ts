import { awaitsSignature, type KnownStateOfKind } from '../contract/statuses';
import type { ResolvedPolicy } from './policy';

/** The intervals between polls of a session. All times are milliseconds. */
export interface Cadence {
  /** The shortest interval. */
  readonly fastestMs: number;
  /** The longest interval. */
  readonly slowestMs: number;
  /** The time for which polls keep to the shortest interval after a change. */
  readonly steadyMs: number;
}

/**
 * After the steady time, an interval is this share of the time since the steady time ended. So on average, a change is noticed after a
 * twelfth of that time.
 */
const GROWTH = 1 / 6;
const JITTER = 0.1;

/** Returns the interval between polls when `sinceChangeMs` have passed without a change: steady at first, then growing with this time. */
export function intervalMs({ fastestMs, slowestMs, steadyMs }: Cadence, sinceChangeMs: number): number {
  return Math.min(Math.max((sinceChangeMs - steadyMs) * GROWTH, fastestMs), slowestMs);
}

/**
 * Returns an interval varied by up to a tenth either way, so that sessions that began together do not go on polling at the same times.
 * `random`: 0 to 1.
 */
export function jittered(milliseconds: number, random: number): number {
  return Math.round(milliseconds * (1 + JITTER * (2 * random - 1)));
}

/** The settings with which the Temporal server detects the loss of the worker that holds a session. All times are milliseconds. */
export interface Guard {
  /** The time without a heartbeat after which a worker counts as lost. */
  readonly heartbeatTimeoutMs: number;
  /** The longest interval between polls that this guard fits; absent if each poll is an attempt of its own. */
  readonly heldUpToMs?: number;
}

/** If polls are further apart than this when the guard is chosen, each is an attempt of its own: holding the session would save little. */
const HELD_UP_TO_MS = 30 * 60_000;
/** A lost worker is detected within three times the interval at which the guard is chosen, or within this time if that is longer. */
const SHORTEST_GUARD_MS = 30_000;
const GUARD_POLLS = 3;
/**
 * A guard fits until intervals exceed this many thirds of its timeout, or reach the longest interval. The last guard fits the longest
 * interval, which may apply for hours.
 */
const GROWN = 2;

/** Returns the guard of a session that has not changed for this long. */
export function guardOf(cadence: Cadence, sinceChangeMs: number): Guard {
  const everyMs = intervalMs(cadence, sinceChangeMs);
  if (everyMs > HELD_UP_TO_MS) return { heartbeatTimeoutMs: SHORTEST_GUARD_MS };
  const heartbeatTimeoutMs = Math.max(SHORTEST_GUARD_MS, GUARD_POLLS * everyMs);
  const guardedMs = heartbeatTimeoutMs / GUARD_POLLS;
  const fitsMs = guardedMs * GROWN;
  const isLast = cadence.slowestMs <= guardedMs;
  return { heartbeatTimeoutMs, heldUpToMs: isLast ? fitsMs : Math.min(fitsMs, cadence.slowestMs - 1) };
}

/** Returns the time between two heartbeats. It is as long as possible, because each heartbeat costs the server a write. */
export const beatEveryMs = (heartbeatTimeoutMs: number): number => heartbeatTimeoutMs * 0.9;

/** Most payors in the flow finish within this time. */
const STEADY_MS = 5 * 60_000;
/** Polls for the signature, which may take days, are usually at least this far apart. */
const FASTEST_FOR_SIGNATURE_MS = 30_000;

/**
 * Returns the intervals between polls of a session. They depend on whether it waits for the payor in the flow or for the PAD
 * signature.
 */
export function cadenceOf(state: KnownStateOfKind, policy: ResolvedPolicy): Cadence {
  const { fastestPollMs, slowestPollMs, slowestUnsignedPollMs: slowestMs } = policy;
  if (!awaitsSignature(state))
    return { fastestMs: fastestPollMs, slowestMs: slowestPollMs, steadyMs: STEADY_MS };
  const fastestMs = Math.min(Math.max(FASTEST_FOR_SIGNATURE_MS, fastestPollMs), slowestMs);
  return { fastestMs, slowestMs, steadyMs: 0 };
}
