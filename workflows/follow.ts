import { isCancellation } from '@temporalio/workflow';
import type { PollResult, PollSessionInput } from '../activities/types';
import { callFailureOf, type CallFailure } from './activity-failures';
import { pollInBurst, pollSingly } from './activity-proxies';
import { cancelAtService } from './cancel';
import { nextPoll, type PollPlan } from './cadence';
import { awaitsSignature, validatedAtMs } from './record';
import { unlessInterrupted, type Session } from './session';

/** Polls failed in a row, and how long the service asked to wait. */
interface PollTrouble {
  readonly failures: number;
  readonly retryAfterMs?: number;
}

const NO_TROUBLE: PollTrouble = { failures: 0 };

const LONGEST_PUT_OFF_MS = 60 * 60_000;

/** Follows an open session until it has ended; a cancel comes before the next poll. */
export async function follow(session: Session): Promise<void> {
  let trouble = NO_TROUBLE;
  while (!session.record.ended) {
    if (session.cancelPending()) await cancelAtService(session);
    else if (!passDeadline(session, trouble)) trouble = await pollNext(session, trouble);
    await session.continueAsNewIfSuggested();
  }
}

/** Applies a deadline that has passed: the overall one cancels the session, the signature's ends it as unsigned. */
function passDeadline(session: Session, trouble: PollTrouble): boolean {
  if (Date.now() < currentDeadlineAtMs(session, trouble)) return false;
  session.apply(
    awaitsSignature(session.record)
      ? { type: 'signatureDeadlinePassed' }
      : { type: 'cancelRequested', by: 'deadline' },
  );
  return true;
}

/**
 * A session that awaits the PAD signature has that deadline alone: the payor has done all else. While polls fail, nobody
 * knows whether the payor has signed in time, so it is put off until one succeeds, an hour at most.
 */
function currentDeadlineAtMs(session: Session, trouble: PollTrouble): number {
  const validatedAt = awaitsSignature(session.record) ? validatedAtMs(session.record) : undefined;
  if (validatedAt === undefined) return session.deadlineAtMs;
  return (
    validatedAt + session.policy.padSignatureDeadlineMs + (trouble === NO_TROUBLE ? 0 : LONGEST_PUT_OFF_MS)
  );
}

async function pollNext(session: Session, trouble: PollTrouble): Promise<PollTrouble> {
  const plan = planPoll(session, trouble);
  const awake = () => session.cancelPending() || session.refreshPending();
  await session.wait(
    plan.afterMs,
    awake,
    awaitsSignature(session.record) ? 'next poll, PAD unsigned' : 'next poll',
  );
  if (session.cancelPending()) return trouble;
  const result = await poll(session, plan);
  switch (result?.outcome) {
    case 'seen':
      session.apply({ type: 'seen', snapshot: result.snapshot, source: 'poll' });
      return NO_TROUBLE;
    case 'failed': {
      session.apply({ type: 'callFailed', failure: result.failure });
      const { code, retryAfterMs } = result.failure;
      // A poll that was put off did not fail: it has its turn after the time it was given. While a signature is awaited
      // it counts all the same: the next poll may be a day away, and nobody is in a hurry while the service is down.
      const isNoFailure = code === 'SERVICE_PAUSED' && !awaitsSignature(session.record);
      const failures = isNoFailure ? trouble.failures : trouble.failures + 1;
      return { failures, ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
    case 'interrupted':
    case undefined:
      return trouble;
  }
}

/** The next poll by the cadence, cut to end at the deadline. */
function planPoll(session: Session, trouble: PollTrouble): PollPlan {
  const nowMs = Date.now();
  const awaitingSignature = awaitsSignature(session.record);
  const sinceChangeMs = nowMs - session.record.changedAtMs;
  const plan = nextPoll(
    { ...trouble, awaitingSignature, sinceChangeMs, random: Math.random() },
    session.policy,
  );
  const leftMs = Math.max(0, currentDeadlineAtMs(session, trouble) - nowMs);
  const afterMs = Math.min(plan.afterMs, leftMs);
  return { ...plan, afterMs, forMs: Math.min(plan.forMs, leftMs - afterMs) };
}

/** One activity execution; `undefined` when interrupted by a cancel or, in a burst, a refresh, which wants one look only. */
async function poll(session: Session, plan: PollPlan): Promise<PollResult | LostPoll | undefined> {
  const { status, code, amount } = session.record;
  const known = { ...(status && { status }), ...(code && { code }), ...(amount !== undefined && { amount }) };
  const urgent = session.refreshPending();
  const forMs = urgent ? 0 : plan.forMs;
  const serves = session.refreshesAsked;
  const isBurst = forMs > 0;
  const interrupted = () => session.cancelPending() || (isBurst && session.refreshesAsked > serves);
  const summary = forMs === 0 ? 'poll details' : `poll details for up to ${Math.round(forMs / 1000)} s`;
  const input = {
    ...session.serviceSession(),
    known,
    everyMs: plan.everyMs,
    forMs,
    ...(urgent && { urgent }),
  };
  const result = await unlessInterrupted(interrupted, () => pollOnce(input, summary));
  if (result !== undefined && result.outcome !== 'interrupted') session.refreshesServed = serves;
  return result;
}

/** A poll whose activity failed. */
interface LostPoll {
  readonly outcome: 'failed';
  readonly failure: CallFailure;
}

/** A poll whose worker was lost is a failed poll: it never fails the session. */
async function pollOnce(input: PollSessionInput, summary: string): Promise<PollResult | LostPoll> {
  try {
    return await (input.forMs === 0 ? pollSingly : pollInBurst).executeWithOptions({ summary }, [input]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { outcome: 'failed', failure: callFailureOf(error) };
  }
}
