import { condition, isCancellation } from '@temporalio/workflow';
import { sessionKind } from '../src/contract/kinds';
import type { CreateOutcome } from '../activities/types';
import { callFailureOf, fatalFailureOf, type CallFailure } from './activity-failures';
import { authenticate, createSession } from './activity-proxies';
import { adopt } from './adopt';
import { backoffMs } from './cadence';
import { unlessInterrupted, type Session } from './session';

/**
 * Creates the session at the payment service, at most once as far as anybody can know. Returns when it is created, or
 * ended because a cancel came first. Throws the workflow's failure when it never will be.
 */
export async function createAtService(session: Session): Promise<void> {
  for (let attempt = 1; session.record.sessionId === undefined; attempt += 1) {
    if (session.cancelPending()) {
      session.apply({ type: 'cancelledBeforeCreate' });
      return;
    }
    if (Date.now() >= session.deadlineAtMs) throw session.fail('CREATE_DEADLINE_PASSED');
    await attemptCreate(session, attempt);
    await session.continueAsNewIfSuggested();
  }
}

async function attemptCreate(session: Session, attempt: number): Promise<void> {
  const cancelled = () => session.cancelPending();
  const outcome = await unlessInterrupted(cancelled, () => authenticateAndCreate(session));
  switch (outcome?.outcome) {
    case undefined:
      return;
    case 'created':
      opened(session, outcome.sessionId, outcome.checkoutUrl);
      return;
    case 'rejected':
      throw session.fail(outcome.failure.code, outcome.failure);
    case 'notSent':
      if (outcome.failure.code === 'SERVICE_CREDENTIALS_REJECTED')
        throw session.fail(outcome.failure.code, outcome.failure);
      await backOff(session, attempt, outcome.failure);
      return;
    case 'unknown':
      await settleUnknown(session, attempt, outcome.failure);
      return;
  }
}

/** An activity failed: before the create was sent, or without telling what became of it. */
interface LostCreate {
  readonly outcome: 'notSent' | 'unknown';
  readonly failure: CallFailure;
}

/** Both steps. A failed activity becomes an outcome, or the workflow's failure where no repetition can help. */
async function authenticateAndCreate(session: Session): Promise<CreateOutcome | LostCreate> {
  const { account } = session;
  const { request } = session.input;
  let outcome: LostCreate['outcome'] = 'notSent';
  try {
    await authenticate.executeWithOptions({ summary: 'get an access token' }, [{ account }]);
    outcome = 'unknown';
    const summary = `open ${sessionKind(request)} session`;
    return await createSession.executeWithOptions({ summary }, [{ account, request }]);
  } catch (error) {
    if (isCancellation(error)) throw error;
    const fatal = fatalFailureOf(error);
    if (fatal !== undefined) throw session.fail(fatal.code, fatal);
    const failure = callFailureOf(error);
    // A worker that cannot read what it is given has sent nothing.
    return { outcome: failure.code === 'ENCRYPTION_KEY_MISSING' ? 'notSent' : outcome, failure };
  }
}

function opened(session: Session, sessionId: string, checkoutUrl: string): void {
  const hasCode = sessionKind(session.input.request) !== 'e-Transfer';
  session.apply({ type: 'created', sessionId, checkoutUrl, hasCode });
}

async function backOff(session: Session, attempt: number, failure: CallFailure): Promise<void> {
  session.apply({ type: 'callFailed', failure });
  const failures = failure.code === 'SERVICE_PAUSED' ? 1 : attempt;
  const milliseconds = backoffMs(failures, Math.random(), failure.retryAfterMs);
  await session.wait(milliseconds, () => session.cancelPending(), `create again after ${failure.code}`);
}

/** A service that loses answer after answer would be left with a session for each: then a person decides. */
const MAX_POSSIBLE_ORPHANS = 3;

/** The create was sent and its answer was lost: the policy says whether to create again or to wait for a decision. */
async function settleUnknown(session: Session, attempt: number, failure: CallFailure): Promise<void> {
  session.apply({ type: 'callFailed', failure });
  const mayRepeat = session.record.possibleOrphans < MAX_POSSIBLE_ORPHANS;
  if (session.policy.onUnknownCreate === 'retry' && mayRepeat) {
    session.apply({ type: 'possibleOrphan', detail: `create ${attempt}: ${failure.code}` });
    await backOff(session, attempt, failure);
    return;
  }
  session.apply({ type: 'createParked' });
  while (session.record.parked) await takeResolution(session, attempt);
}

async function takeResolution(session: Session, attempt: number): Promise<void> {
  await condition(() => session.resolution !== undefined);
  const answer = session.resolution ?? { abandon: true };
  if ('sessionId' in answer) {
    await adopt(session, answer.sessionId);
  } else {
    session.apply({ type: 'possibleOrphan', detail: `create ${attempt}: given up by resolveCreate` });
    session.apply({ type: 'createUnparked' });
  }
  session.resolution = undefined;
  if ('abandon' in answer) throw session.fail('CREATE_ABANDONED');
}
