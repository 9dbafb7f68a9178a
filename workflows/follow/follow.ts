import { type CallFailure, withRemedy } from '../../src/errors/failures';
import { givenBackMs } from '../calls/back-off';
import { continueAsNewIfSuggested, shouldContinue } from '../run/continue-as-new';
import type { Session } from '../session';
import { cancelAtService } from './cancel';
import { tells } from '../record/seen';
import { deadlineOf, passDeadline } from './deadline';
import { Follower, type FollowEnd, type FollowPlan } from './follower';
import { pollForRefresh } from './refresh';
import { carriedWaitMs, wait } from '../calls/wait';
import { intervalMs, jittered, type Cadence, cadenceOf } from '../../src/protocol/cadence';
import { awaitsSignature } from '../../src/contract/statuses';
import { isGivenBack } from '../../src/protocol/activities';

/** Polls failed in a row, and when the next is due; before `notBeforeMs` the service, or a pause of the worker, puts polls off. */
interface PollTrouble {
  readonly failures: number;
  /** When the last of them failed, or was put off. */
  readonly failedAtMs: number;
  readonly dueAtMs: number;
  readonly notBeforeMs: number;
  /** The worker did not send the poll: the account's calls are paused. */
  readonly isPaused: boolean;
}

const NO_TROUBLE: PollTrouble = { failures: 0, failedAtMs: 0, dueAtMs: 0, notBeforeMs: 0, isPaused: false };

/** Follows an open session until it has ended; a cancel comes before the next poll. */
export async function follow(session: Session): Promise<void> {
  const follower = new Follower(session);
  let trouble = carriedTrouble(session);
  while (!session.record.ended) {
    if (session.cancelPending()) await cancelAtService(session);
    else if (!passDeadline(session, { nowMs: Date.now(), ...trouble }))
      trouble = await goOn(session, follower, trouble);
    await continueAsNewIfSuggested(session);
  }
}

/** What the run before has left: how often polls had failed, and when the next is due. */
function carriedTrouble(session: Session): PollTrouble {
  const { failures = 0, code } = session.record.trouble ?? {};
  const dueAtMs = carriedWaitMs(session);
  return dueAtMs === 0
    ? NO_TROUBLE
    : { ...NO_TROUBLE, failures, dueAtMs, isPaused: code === 'SERVICE_PAUSED' };
}

/** The next thing to do: a poll for a refresh, the wait after a failed poll, or to follow until there is news or a call. */
async function goOn(session: Session, follower: Follower, trouble: PollTrouble): Promise<PollTrouble> {
  const nowMs = Date.now();
  const refreshAtMs = nextRefreshAtMs(session, trouble);
  const isWaiting = session.refreshes.pending;
  const isCalled = () =>
    session.cancelPending() || (!isWaiting && session.refreshes.pending) || shouldContinue();
  if (refreshAtMs <= nowMs) return settle(session, trouble, follower, await pollForRefresh(session));
  if (nowMs < trouble.dueAtMs) {
    await awaitNextPoll(session, Math.min(trouble.dueAtMs, refreshAtMs), isCalled);
    if (isCalled() || Date.now() < trouble.dueAtMs) return trouble;
  }
  const plan = planOf(session, trouble);
  return settle(session, trouble, follower, await follower.follow(plan, isCalled, refreshAtMs));
}

/**
 * When the refresh that is asked for may poll; never, if none is. It waits as well where the service asked for it; during a pause of the
 * account's calls the worker decides.
 */
function nextRefreshAtMs({ refreshes, policy }: Session, { notBeforeMs, isPaused }: PollTrouble): number {
  if (!refreshes.pending) return Infinity;
  const spacedMs = refreshes.notBeforeMs(policy.refreshSpacingMs);
  const isHeldBack = spacedMs < notBeforeMs && !isPaused;
  return isHeldBack ? notBeforeMs : spacedMs;
}

/** Takes note of how a poll ended. */
function settle(
  session: Session,
  trouble: PollTrouble,
  follower: Follower,
  end: FollowEnd | undefined,
): PollTrouble {
  const failure = end && failureOf(session, end);
  if (failure === undefined) return end?.outcome === 'seen' ? NO_TROUBLE : trouble;
  follower.stop();
  session.apply({ type: 'callFailed', failure });
  return afterFailure(session, trouble, failure);
}

/** Why a poll did not tell how the session stands, as far as that matters: after the deadline any answer does that tells it. */
function failureOf(session: Session, end: FollowEnd): CallFailure | undefined {
  if (end.outcome === 'failed') return end.failure;
  if (end.outcome !== 'seen' || session.record.ended) return undefined;
  const { record, policy } = session;
  const isDue = Date.now() >= deadlineOf(record, policy).atMs;
  return isDue && !tells(record, end.snapshot) ? tellsNothing() : undefined;
}

function tellsNothing(): CallFailure {
  const code = 'SERVICE_UNREADABLE';
  const happened =
    'The payment service went back on what it reported before, so nobody knows where the session stands.';
  return { code, message: withRemedy(code, happened) };
}

async function awaitNextPoll(session: Session, atMs: number, isCalled: () => boolean): Promise<void> {
  session.apply({ type: 'waits', untilMs: atMs });
  const summary = awaitsSignature(session.record) ? 'next poll, awaiting the PAD signature' : 'next poll';
  await wait(atMs - Date.now(), isCalled, summary);
}

/** The next poll by the cadence; one that is due after the deadline is made at it. */
function afterFailure(session: Session, trouble: PollTrouble, failure: CallFailure): PollTrouble {
  const { record, policy } = session;
  const nowMs = Date.now();
  // A worker without the account's credentials asks for a wait of its own: another one may have them.
  const retryAfterMs = isGivenBack(failure.code) ? 0 : (failure.retryAfterMs ?? 0);
  // A poll that was put off did not fail: it has its turn after the time it was given. While a signature is awaited it
  // counts all the same: the next poll may be a day away, and nobody is in a hurry while the service is down.
  const isPaused = failure.code === 'SERVICE_PAUSED';
  const isNoFailure = isPaused && !awaitsSignature(record);
  const failures = isNoFailure ? trouble.failures : trouble.failures + 1;
  const random = Math.random();
  const sinceChangeMs = nowMs - record.changedAtMs;
  const usualMs = isGivenBack(failure.code)
    ? givenBackMs(failures, random)
    : failedPollMs(cadenceOf(record, policy), { failures, retryAfterMs, sinceChangeMs, random });
  const { atMs } = deadlineOf(record, policy);
  const sinceDeadlineMs = nowMs - atMs;
  const soonMs = sinceDeadlineMs < 0 ? Infinity : Math.max(lastLookMs(sinceDeadlineMs, random), retryAfterMs);
  const waitMs = Math.min(usualMs, soonMs);
  const dueAtMs = nowMs + waitMs;
  return {
    failures,
    failedAtMs: nowMs,
    // Only later polls make up for one that fails after the deadline.
    dueAtMs: nowMs < atMs ? Math.min(dueAtMs, atMs) : dueAtMs,
    notBeforeMs: nowMs + retryAfterMs,
    isPaused,
  };
}

function planOf(session: Session, trouble: PollTrouble): FollowPlan {
  const { record, policy } = session;
  const nowMs = Date.now();
  const { atMs } = deadlineOf(record, policy);
  const isLast = nowMs >= atMs;
  return {
    cadence: cadenceOf(record, policy),
    sinceChangeMs: nowMs - record.changedAtMs,
    forMs: Math.max(0, atMs - nowMs),
    atOnce: isLast || trouble.dueAtMs > 0,
    ...(isLast && { lastLookForMs: Math.max(0, atMs + policy.unverifiedAfterMs - nowMs) }),
  };
}

/** When polls fail. */
interface PollFailures {
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
