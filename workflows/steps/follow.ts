import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { awaitsSignature, isUnclear } from '../../src/contract/paid';
import type { PollResult, PollSessionInput } from '../../src/protocol/activities';
import type { CallFailure } from '../../src/errors/failures';
import { callFailureOf } from './activity-failures';
import { pollInBurst, pollSingly } from './activity-proxies';
import { cancelAtService } from './cancel';
import { nextPoll, type PollPlan } from './cadence';
import { interruptible } from './interruptible';
import { validatedAtMs } from '../record/session-record';
import type { Session } from '../session';

/** Polls failed in a row, and until when the service asked to be left alone. */
interface PollTrouble {
  readonly failures: number;
  readonly notBeforeMs: number;
}

const NO_TROUBLE: PollTrouble = { failures: 0, notBeforeMs: 0 };

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

async function pollNext(session: Session, trouble: PollTrouble): Promise<PollTrouble> {
  const plan = planPoll(session, trouble);
  await awaitTurn(session, plan, trouble);
  if (session.cancelPending()) return trouble;
  const result = await poll(session, plan);
  switch (result?.outcome) {
    case 'seen':
      session.apply({ type: 'seen', snapshot: result.snapshot, source: 'poll' });
      return NO_TROUBLE;
    case 'failed':
      session.apply({ type: 'callFailed', failure: result.failure });
      return afterFailure(session, trouble, result.failure);
    case 'interrupted':
    case undefined:
      return trouble;
  }
}

/** Waits until the poll is due, or a refresh asks for it; a refresh waits as well where the service asked for it. */
async function awaitTurn(session: Session, plan: PollPlan, trouble: PollTrouble): Promise<void> {
  const dueAtMs = Date.now() + plan.afterMs;
  session.apply({ type: 'waits', untilMs: dueAtMs });
  const { record, policy, refreshes } = session;
  const cancelled = () => session.cancelPending();
  const summary = awaitsSignature(record) ? 'next poll, awaiting the PAD signature' : 'next poll';
  await session.wait(plan.afterMs, () => cancelled() || refreshes.pending, summary);
  if (!refreshes.pending) return;
  const refreshAtMs = Math.max(refreshes.notBeforeMs(policy.refreshSpacingMs), trouble.notBeforeMs);
  await session.wait(Math.min(dueAtMs, refreshAtMs) - Date.now(), cancelled, 'refresh');
}

function afterFailure(session: Session, trouble: PollTrouble, failure: CallFailure): PollTrouble {
  // A poll that was put off did not fail: it has its turn after the time it was given. While a signature is awaited it
  // counts all the same: the next poll may be a day away, and nobody is in a hurry while the service is down.
  const isNoFailure = failure.code === 'SERVICE_PAUSED' && !awaitsSignature(session.record);
  const failures = isNoFailure ? trouble.failures : trouble.failures + 1;
  return { failures, notBeforeMs: Date.now() + (failure.retryAfterMs ?? 0) };
}

/** The next poll by the cadence, cut to end at the deadline. */
function planPoll(session: Session, trouble: PollTrouble): PollPlan {
  const nowMs = Date.now();
  const situation = {
    failures: trouble.failures,
    retryAfterMs: Math.max(0, trouble.notBeforeMs - nowMs),
    awaitingSignature: awaitsSignature(session.record),
    sinceChangeMs: nowMs - session.record.changedAtMs,
    random: Math.random(),
  };
  const plan = nextPoll(situation, session.policy);
  const leftMs = Math.max(0, currentDeadlineAtMs(session, trouble) - nowMs);
  const afterMs = Math.min(plan.afterMs, leftMs);
  return { ...plan, afterMs, forMs: Math.min(plan.forMs, leftMs - afterMs) };
}

/** One activity execution; `undefined` when interrupted by a cancel or, in a burst, a refresh, which wants one look only. */
async function poll(session: Session, plan: PollPlan): Promise<PollResult | LostPoll | undefined> {
  const { refreshes } = session;
  const refreshing = refreshes.begin(Date.now());
  const input = inputOf(session, plan, refreshing.urgent);
  const isBurst = input.forMs > 0;
  const interrupted = () => session.cancelPending() || (isBurst && refreshes.askedSince(refreshing));
  const outcome = await interruptible(interrupted, () => pollOnce(input));
  if (outcome.interrupted) {
    applyLate(session, outcome.late);
    return undefined;
  }
  if (outcome.value.outcome !== 'interrupted') refreshes.finish(refreshing);
  return outcome.value;
}

/** What a poll has seen counts, whoever interrupted it, unless something newer was seen meanwhile. */
function applyLate(session: Session, late: Promise<PollResult | LostPoll | undefined>): void {
  const { sightings } = session;
  void late.then((result) => {
    if (result?.outcome !== 'seen' || session.sightings !== sightings) return;
    session.apply({ type: 'seen', snapshot: result.snapshot, source: 'poll' });
  });
}

function inputOf(session: Session, plan: PollPlan, urgent: boolean): PollSessionInput {
  const { status, code, amount } = session.record;
  const known = { ...(status && { status }), ...(code && { code }), ...(amount !== undefined && { amount }) };
  return {
    ...session.serviceSession(),
    known,
    everyMs: plan.everyMs,
    forMs: urgent ? 0 : plan.forMs,
    ...(urgent && { urgent }),
  };
}

/** A poll whose activity failed. */
interface LostPoll {
  readonly outcome: 'failed';
  readonly failure: CallFailure;
}

/** A poll whose worker was lost is a failed poll: it never fails the session. */
async function pollOnce(input: PollSessionInput): Promise<PollResult | LostPoll> {
  try {
    if (input.forMs > 0) {
      const summary = `poll details for up to ${Math.round(input.forMs / 1000)} s`;
      return await pollInBurst.executeWithOptions({ summary }, [input]);
    }
    // It ends by itself, mostly before a heartbeat could bring it a cancel: the engine is not asked for one.
    const single = () => pollSingly.executeWithOptions({ summary: 'poll details' }, [input]);
    return await CancellationScope.nonCancellable(single);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return { outcome: 'failed', failure: callFailureOf(error) };
  }
}
