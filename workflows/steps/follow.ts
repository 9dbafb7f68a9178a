import { patched } from '@temporalio/workflow';
import { awaitsSignature, isUnclear } from '../../src/contract/paid';
import type { CallFailure } from '../../src/errors/failures';
import { cadenceOf } from '../../src/protocol/resolved-policy';
import { continueAsNewIfSuggested } from '../continue-as-new';
import { validatedAtMs } from '../record/session-record';
import type { Session } from '../session';
import { failedPollMs } from './cadence';
import { cancelAtService } from './cancel';
import { Follower, type FollowEnd, type FollowPlan } from './follower';
import { pollForRefresh } from './refresh';
import { wait } from './wait';

/** Polls failed in a row, and when the next is due; before `notBeforeMs` the service, or a pause of the worker, puts polls off. */
interface PollTrouble {
  readonly failures: number;
  readonly dueAtMs: number;
  readonly notBeforeMs: number;
  /** The worker did not send the poll: the account's calls are paused. */
  readonly isPaused: boolean;
}

const NO_TROUBLE: PollTrouble = { failures: 0, dueAtMs: 0, notBeforeMs: 0, isPaused: false };

/** Since 0.1.1: the worker decides whether a refresh goes during a pause. Before, it waited for the end of the pause. */
const REFRESH_IN_PAUSE = 'refresh-in-a-pause';

const LONGEST_PUT_OFF_MS = 60 * 60_000;

/** Follows an open session until it has ended; a cancel comes before the next poll. */
export async function follow(session: Session): Promise<void> {
  const follower = new Follower(session);
  let trouble = NO_TROUBLE;
  while (!session.record.ended) {
    if (session.cancelPending()) await cancelAtService(session);
    else if (!passDeadline(session, trouble)) trouble = await goOn(session, follower, trouble);
    await continueAsNewIfSuggested(session);
  }
}

/**
 * Applies a deadline that has passed. The overall one cancels the session, but for one that is `Completed` already: whether
 * it is paid nobody knows. The signature's ends it as unsigned.
 */
function passDeadline(session: Session, trouble: PollTrouble): boolean {
  if (Date.now() < currentDeadlineAtMs(session, trouble)) return false;
  const { record } = session;
  if (awaitsSignature(record)) session.apply({ type: 'signatureDeadlinePassed' });
  else if (isUnclear(record.kind, record)) session.apply({ type: 'unclearDeadlinePassed' });
  else session.requestCancel('deadline');
  return true;
}

/**
 * A session that awaits the PAD signature has that deadline alone: the payor has done all else. While polls fail, nobody
 * knows whether a completed session has been paid in time, so its deadline is put off until one succeeds, an hour at most.
 */
function currentDeadlineAtMs({ record, policy, deadlineAtMs }: Session, trouble: PollTrouble): number {
  const validatedAt = awaitsSignature(record) ? validatedAtMs(record) : undefined;
  const isCompleted = validatedAt !== undefined || isUnclear(record.kind, record);
  const atMs = validatedAt === undefined ? deadlineAtMs : validatedAt + policy.padSignatureDeadlineMs;
  return isCompleted && trouble.failures > 0 ? atMs + LONGEST_PUT_OFF_MS : atMs;
}

/** The next thing to do: a poll for a refresh, the wait after a failed poll, or to follow until there is news or a call. */
async function goOn(session: Session, follower: Follower, trouble: PollTrouble): Promise<PollTrouble> {
  const nowMs = Date.now();
  const refreshAtMs = nextRefreshAtMs(session, trouble);
  const isWaiting = session.refreshes.pending;
  const isCalled = () => session.cancelPending() || (!isWaiting && session.refreshes.pending);
  if (refreshAtMs <= nowMs) return settle(session, trouble, follower, await pollForRefresh(session));
  if (nowMs < trouble.dueAtMs) {
    await awaitNextPoll(session, Math.min(trouble.dueAtMs, refreshAtMs), isCalled);
    if (isCalled() || Date.now() < trouble.dueAtMs) return trouble;
  }
  const plan = planOf(session, trouble);
  return settle(session, trouble, follower, await follower.follow(plan, isCalled, refreshAtMs));
}

/** When the refresh that is asked for may poll; never, if none is. It waits as well where the service asked for it. */
function nextRefreshAtMs({ refreshes, policy }: Session, { notBeforeMs, isPaused }: PollTrouble): number {
  if (!refreshes.pending) return Infinity;
  const spacedMs = refreshes.notBeforeMs(policy.refreshSpacingMs);
  const isHeldBack = spacedMs < notBeforeMs && !(isPaused && patched(REFRESH_IN_PAUSE));
  return isHeldBack ? notBeforeMs : spacedMs;
}

/** Takes note of how a poll ended. */
function settle(
  session: Session,
  trouble: PollTrouble,
  follower: Follower,
  end: FollowEnd | undefined,
): PollTrouble {
  if (end?.outcome === 'seen') return NO_TROUBLE;
  if (end?.outcome !== 'failed') return trouble;
  follower.stop();
  session.apply({ type: 'callFailed', failure: end.failure });
  return afterFailure(session, trouble, end.failure);
}

async function awaitNextPoll(session: Session, atMs: number, isCalled: () => boolean): Promise<void> {
  session.apply({ type: 'waits', untilMs: atMs });
  const summary = awaitsSignature(session.record) ? 'next poll, awaiting the PAD signature' : 'next poll';
  await wait(atMs - Date.now(), isCalled, summary);
}

/** The next poll by the cadence, at the deadline at the latest. */
function afterFailure(session: Session, trouble: PollTrouble, failure: CallFailure): PollTrouble {
  const { record, policy } = session;
  const nowMs = Date.now();
  const { retryAfterMs = 0 } = failure;
  // A poll that was put off did not fail: it has its turn after the time it was given. While a signature is awaited it
  // counts all the same: the next poll may be a day away, and nobody is in a hurry while the service is down.
  const isPaused = failure.code === 'SERVICE_PAUSED';
  const isNoFailure = isPaused && !awaitsSignature(record);
  const failures = isNoFailure ? trouble.failures : trouble.failures + 1;
  const sinceChangeMs = nowMs - record.changedAtMs;
  const waitMs = failedPollMs(cadenceOf(record, policy), {
    failures,
    retryAfterMs,
    sinceChangeMs,
    random: Math.random(),
  });
  const after = { failures, dueAtMs: nowMs + waitMs, notBeforeMs: nowMs + retryAfterMs, isPaused };
  return { ...after, dueAtMs: Math.min(after.dueAtMs, Math.max(nowMs, currentDeadlineAtMs(session, after))) };
}

function planOf(session: Session, trouble: PollTrouble): FollowPlan {
  const { record, policy } = session;
  const nowMs = Date.now();
  return {
    cadence: cadenceOf(record, policy),
    sinceChangeMs: nowMs - record.changedAtMs,
    forMs: Math.max(0, currentDeadlineAtMs(session, trouble) - nowMs),
    atOnce: trouble.dueAtMs > 0,
  };
}
