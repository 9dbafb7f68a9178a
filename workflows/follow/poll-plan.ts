/** The time of an open session's next poll, and the effect of a failed poll on it. Pure; times are in milliseconds. */
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

/**
 * The number of polls that failed in a row, and the time of the next one. The service, or a pause of the account's calls,
 * asks for no poll before `notBeforeMs`. Times are epoch milliseconds.
 */
export interface PollTrouble {
  readonly failures: number;
  /** The time when the last poll failed, or was postponed. */
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

/** Returns the settings for following the session from `nowMs` on. */
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
 * Returns when the requested refresh may poll, in epoch milliseconds; `Infinity` if no refresh is requested. The refresh
 * also waits as long as the service asked. During a pause of the account's calls, the worker decides.
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
 * Returns the reason why a poll failed to show the session's state; `undefined` if the poll did not fail. Before the
 * deadline, a poll with any report has not failed.
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

/** The time of a failed poll, and a random number from 0 to 1 for the jitter. */
interface Moment {
  readonly nowMs: number;
  readonly random: number;
}

/**
 * Returns the trouble after one more failed poll, with the time of the next one. Before the deadline, the next poll is
 * due at the deadline at the latest.
 */
export function afterFailure(
  { record, policy }: Polled,
  before: PollTrouble,
  failure: CallFailure,
  { nowMs, random }: Moment,
): PollTrouble {
  const retryAfterMs = askedMs(failure);
  // A poll that a pause postpones has not failed: it gets its turn after the given time. It still counts while a signature
  // is awaited: polls may be a day apart then, so the waits may grow during an outage of the service.
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
    // After the deadline, `lastLookMs` bounds the wait instead.
    dueAtMs: nowMs < atMs ? Math.min(dueAtMs, atMs) : dueAtMs,
    notBeforeMs: nowMs + retryAfterMs,
    isPaused,
  };
}

/** Inputs for the wait after a failed poll. */
interface PollFailures {
  /** The number of polls that failed in a row. */
  readonly failures: number;
  /** The shortest wait that the service, or a pause of the account's calls, asked for, in milliseconds. */
  readonly retryAfterMs: number;
  /** Milliseconds since the session was opened or its state last changed. */
  readonly sinceChangeMs: number;
  /** 0 to 1, for the jitter. */
  readonly random: number;
}

/** The longest wait after a failed poll, even if the next poll would be a day away. */
const LONGEST_FAILING_MS = 60 * 60_000;

/**
 * Returns the wait before a failed poll is repeated. It doubles with each failure, is jittered, and obeys `retryAfterMs`.
 * Its bound is the cadence's longest interval or an hour, whichever is shorter, but never less than the cadence's shortest
 * interval. Unless only a signature is awaited, the wait is no shorter than the cadence's interval, up to the same bound.
 */
export function failedPollMs(
  cadence: Cadence,
  { failures, retryAfterMs, sinceChangeMs, random }: PollFailures,
): number {
  const doubled = cadence.fastestMs * 2 ** Math.min(failures, 20);
  // While only a signature is awaited, polls may be a day apart: a failed poll is repeated sooner.
  const usual = cadence.steadyMs > 0 ? intervalMs(cadence, sinceChangeMs) : 0;
  const longest = Math.max(cadence.fastestMs, Math.min(cadence.slowestMs, LONGEST_FAILING_MS));
  return Math.max(jittered(Math.min(Math.max(doubled, usual), longest), random), retryAfterMs);
}

const LAST_LOOK_GROWTH = 1 / 6;
const SOONEST_LAST_LOOK_MS = 1_000;

/**
 * Returns the maximum wait after a poll that failed after the deadline. It is a sixth of the time since the deadline, but
 * at least a second and at most an hour, and jittered.
 */
export function lastLookMs(sinceDeadlineMs: number, random: number): number {
  const grown = Math.max(sinceDeadlineMs * LAST_LOOK_GROWTH, SOONEST_LAST_LOOK_MS);
  return jittered(Math.min(grown, LONGEST_FAILING_MS), random);
}
