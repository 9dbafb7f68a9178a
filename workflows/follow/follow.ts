import type { Session } from '../session';
import { continueSuggested } from '../per-run';
import { carriedWaitEndMs, continueSession, shouldContinueAsNew, wait } from '../timers';
import { cancelAtService } from './cancel';
import { passDeadline } from './deadline';
import { Follower, type FollowEnd } from './follower';
import { afterFailure, failureOf, nextRefreshAtMs, NO_TROUBLE, planOf, type PollTrouble } from './poll-plan';
import { awaitsSignature } from '../../src/contract/statuses';

/**
 * Follows an open session until it has ended: polls it, and carries out cancels, refreshes and the deadline. A pending
 * cancel comes before the next poll.
 */
export async function follow(session: Session): Promise<void> {
  const follower = new Follower(session);
  let trouble = carriedTrouble(session);
  while (!session.record.ended) {
    if (session.cancelPending()) await cancelAtService(session);
    else if (!passDeadline(session, { nowMs: Date.now(), ...trouble }))
      trouble = await pollNext(session, follower, trouble);
    if (shouldContinueAsNew(session)) await continueSession(session);
  }
}

/** Returns the failed polls of the previous run. If their next poll was already due when that run continued as new, it is due now. */
function carriedTrouble(session: Session): PollTrouble {
  const dueAtMs = carriedWaitEndMs(session);
  if (dueAtMs === undefined) return NO_TROUBLE;
  const { failures = 0, code } = session.record.trouble ?? {};
  const notBeforeMs = code === 'SERVICE_RATE_LIMITED' ? dueAtMs : 0;
  return { ...NO_TROUBLE, failures, dueAtMs, notBeforeMs, isPaused: code === 'SERVICE_PAUSED' };
}

/**
 * Takes one step: polls for a refresh, waits after a failed poll, or follows the session until there is a report, a
 * failure or a caller's request.
 */
async function pollNext(session: Session, follower: Follower, trouble: PollTrouble): Promise<PollTrouble> {
  const nowMs = Date.now();
  const refreshAtMs = nextRefreshAtMs(session, trouble);
  const isWaiting = session.refreshes.pending;
  const isCalled = () =>
    session.cancelPending() || (!isWaiting && session.refreshes.pending) || continueSuggested();
  if (refreshAtMs <= nowMs) return settle(session, trouble, follower, await follower.refresh());
  if (nowMs < trouble.dueAtMs) {
    await waitForPoll(session, Math.min(trouble.dueAtMs, refreshAtMs), isCalled);
    if (isCalled() || Date.now() < trouble.dueAtMs) return trouble;
  }
  const plan = planOf(session, trouble, Date.now());
  return settle(session, trouble, follower, await follower.follow(plan, isCalled, refreshAtMs));
}

async function waitForPoll(session: Session, atMs: number, isCalled: () => boolean): Promise<void> {
  session.apply({ type: 'waits', untilMs: atMs });
  const summary = awaitsSignature(session.record) ? 'next poll, awaiting the PAD signature' : 'next poll';
  await wait(atMs - Date.now(), isCalled, summary);
}

/** Handles the end of a poll: records a failure, if there is one. Returns the failed polls so far. */
function settle(
  session: Session,
  trouble: PollTrouble,
  follower: Follower,
  end: FollowEnd | undefined,
): PollTrouble {
  const nowMs = Date.now();
  const failure = end && failureOf(session, end, nowMs);
  if (failure === undefined) return end?.outcome === 'seen' ? NO_TROUBLE : trouble;
  follower.stop();
  session.apply({ type: 'callFailed', failure });
  const next = afterFailure(session, trouble, failure, { nowMs, random: Math.random() });
  // The session may continue as new before it waits.
  session.apply({ type: 'waits', untilMs: next.dueAtMs });
  return next;
}
