/**
 * Plans the polls of an open session: when the next poll is due, also after failed polls. Pure. Times are in milliseconds.
 */
import { type CallFailure, withRemedy } from '../../src/errors/failures';
import { askedMs, givenBackMs } from '../back-off';
import { tells } from '../record/next';
import type { Session } from '../session';
import { deadlineOf } from './deadline';
import type { FollowEnd, FollowPlan } from './follower';
import { awaitsSignature } from '../../src/contract/statuses';
import { isGivenBack } from '../../src/protocol/activities';
import { intervalMs, jittered, type Cadence, cadenceOf } from '../../src/protocol/cadence';

/** The part of a session that decides when to poll it. */
type Polled = Pick<Session, 'record' | 'policy'>;

/** The failed polls of a session so far, and the time of the next poll. Times are epoch milliseconds. */
export interface PollTrouble {
  readonly failures: number;
  /** The time at which the last poll failed or was postponed. */
  readonly failedAtMs: number;
  readonly dueAtMs: number;
  readonly notBeforeMs: number;
  /** True if the worker did not send the poll because the account's calls are paused. */
  readonly isPaused: boolean;
}

export const NO_TROUBLE: PollTrouble = {
  failures: 0,
  failedAtMs: 0,
  dueAtMs: 0,
  notBeforeMs: 0,
  isPaused: false,
};

/** Returns the settings with which the activity follows the session from `nowMs` on. */
export function planOf({ record, policy }: Polled, { dueAtMs }: PollTrouble, nowMs: number): FollowPlan {
  const { atMs } = deadlineOf(record, policy);
  const isLast = nowMs >= atMs;
  return {
    cadence: cadenceOf(record, policy),
    sinceChangeMs: nowMs - record.changedAtMs,
    forMs: Math.max(0, atMs - nowMs),
    atOnce: isLast || dueAtMs > 0,
    ...(isLast && { lastLookForMs: Math.max(0, atMs + policy.unverifiedAfterMs - nowMs) }),
  };
}

/**
 * Returns the earliest time at which a requested refresh may poll, in epoch milliseconds. Returns `Infinity` if no refresh
 * is requested. If the service asked for a wait, the refresh waits too. If the account's calls are paused, the worker
 * decides when to poll, so the refresh does not wait here.
 */
export function nextRefreshAtMs(
  { refreshes, policy }: Pick<Session, 'refreshes' | 'policy'>,
  { notBeforeMs, isPaused }: PollTrouble,
): number {
  if (!refreshes.pending) return Infinity;
  const spacedMs = refreshes.notBeforeMs(policy.refreshSpacingMs);
  return isPaused ? spacedMs : Math.max(spacedMs, notBeforeMs);
}

/**
 * Returns the failure of a poll; `undefined` if the poll has not failed. After the deadline, a poll whose report
 * contradicts earlier reports counts as failed. Before the deadline, it does not.
 */
export function failureOf(
  { record, policy }: Polled,
  end: FollowEnd,
  nowMs: number,
): CallFailure | undefined {
  if (end.outcome === 'failed') return end.failure;
  if (end.outcome !== 'seen' || record.ended) return undefined;
  const isDue = nowMs >= deadlineOf(record, policy).atMs;
  if (!isDue || tells(record, end.snapshot)) return undefined;
  const code = 'SERVICE_UNREADABLE';
  const happened =
    'The payment service contradicts its earlier report, so the state of the session is unclear.';
  return { code, message: withRemedy(code, happened) };
}

/** The time of a failed poll, and a random number from 0 to 1 that varies the next wait. */
interface Moment {
  readonly nowMs: number;
  readonly random: number;
}

/**
 * Adds a failed poll, and plans the next poll. Before the deadline, the next poll is due at the deadline at the latest.
 */
export function afterFailure(
  { record, policy }: Polled,
  before: PollTrouble,
  failure: CallFailure,
  { nowMs, random }: Moment,
): PollTrouble {
  const retryAfterMs = askedMs(failure);
  // A poll that a pause has postponed usually does not count as failed. It counts while the signature is missing: polls
  // may be a day apart then, so longer waits during an outage do no harm.
  const isPaused = failure.code === 'SERVICE_PAUSED';
  const failures = isPaused && !awaitsSignature(record) ? before.failures : before.failures + 1;
  const sinceChangeMs = nowMs - record.changedAtMs;
  const usualMs = isGivenBack(failure.code)
    ? givenBackMs(failures, random)
    : failedPollMs(cadenceOf(record, policy), { failures, retryAfterMs, sinceChangeMs, random });
  const { atMs } = deadlineOf(record, policy);
  const soonMs = nowMs < atMs ? Infinity : Math.max(lastLookMs(nowMs - atMs, random), retryAfterMs);
  const dueAtMs = nowMs + Math.min(usualMs, soonMs);
  return {
    failures,
    failedAtMs: nowMs,
    // After the deadline, `lastLookMs` limits the wait.
    dueAtMs: nowMs < atMs ? Math.min(dueAtMs, atMs) : dueAtMs,
    notBeforeMs: nowMs + retryAfterMs,
    isPaused,
  };
}

/** The inputs that decide the wait after a failed poll. */
interface PollFailures {
  /** The number of polls that failed in a row. */
  readonly failures: number;
  /** The shortest wait that the service or a pause of the account's calls asks for, in milliseconds. */
  readonly retryAfterMs: number;
  /** Milliseconds since the session was opened or its state last changed. */
  readonly sinceChangeMs: number;
  /** A random number from 0 to 1, which varies the wait. */
  readonly random: number;
}

/** The longest wait after a failed poll. It is shorter than the longest interval between successful polls. */
const LONGEST_FAILING_MS = 60 * 60_000;

/**
 * Returns the wait before a failed poll is repeated. The wait doubles with each failure, and varies at random:
 * - It is at most an hour, and at most the cadence's longest interval.
 * - It is at least the cadence's current interval. This bound does not apply while only the signature is missing, when
 *   polls may be a day apart.
 * - It is at least `retryAfterMs`.
 */
export function failedPollMs(
  cadence: Cadence,
  { failures, retryAfterMs, sinceChangeMs, random }: PollFailures,
): number {
  const doubled = cadence.fastestMs * 2 ** Math.min(failures, 20);
  // While only the signature is missing, polls may be a day apart, and a failed poll is repeated sooner.
  const usual = cadence.steadyMs > 0 ? intervalMs(cadence, sinceChangeMs) : 0;
  const longest = Math.max(cadence.fastestMs, Math.min(cadence.slowestMs, LONGEST_FAILING_MS));
  return Math.max(jittered(Math.min(Math.max(doubled, usual), longest), random), retryAfterMs);
}

const LAST_LOOK_GROWTH = 1 / 6;
const SOONEST_LAST_LOOK_MS = 1_000;

/**
 * Returns the longest wait after a poll that failed after the deadline. It is a sixth of the time since the deadline, but
 * at least a second and at most an hour. It varies at random.
 */
export function lastLookMs(sinceDeadlineMs: number, random: number): number {
  const grown = Math.max(sinceDeadlineMs * LAST_LOOK_GROWTH, SOONEST_LAST_LOOK_MS);
  return jittered(Math.min(grown, LONGEST_FAILING_MS), random);
}
