import { condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import { sessionKind } from '../../src/contract/kinds';
import type { CreateResult } from '../../src/protocol/activities';
import type { CreateOutcome } from '../../src/protocol/service-calls';
import type { CallFailure } from '../../src/errors/failures';
import { rowOf, type ErrorCode } from '../../src/errors/codes';
import { isRefusal } from '../../src/protocol/encrypted-payload';
import { callFailureOf, fatalFailureOf, isNeverStarted } from './activity-failures';
import { authenticate, createSession } from './activity-proxies';
import { adopt } from './adopt';
import { backoffMs } from './cadence';
import { unlessInterrupted } from './interruptible';
import type { Decision } from '../../src/protocol/recorded';
import type { ResolveCreate } from '../../src/protocol/resolution';
import { continueAsNewIfSuggested } from '../continue-as-new';
import type { Session } from '../session';
import { waitAfter } from './wait';

/**
 * Creates the session at the payment service, at most once as far as anybody can know. Returns when it is created, or
 * ended because a cancel came first. Throws the workflow's failure when it never will be.
 */
export async function createAtService(session: Session): Promise<void> {
  let failures = 0;
  while (session.record.sessionId === undefined) {
    if (session.record.parked) {
      await takeDecision(session);
    } else if (session.cancelPending()) {
      session.apply({ type: 'cancelledBeforeCreate' });
      return;
    } else {
      if (leftMs(session) === 0) throw session.fail('CREATE_DEADLINE_PASSED');
      failures = await attemptCreate(session, failures);
    }
    await continueAsNewIfSuggested(session);
  }
}

const leftMs = (session: Session): number => Math.max(0, session.deadlineAtMs - Date.now());

/** Gives how many attempts have failed in a row. */
async function attemptCreate(session: Session, failures: number): Promise<number> {
  const cancelled = () => session.cancelPending();
  const outcome = await unlessInterrupted(cancelled, () => authenticateAndCreate(session));
  if (outcome === undefined) return failures;
  session.metrics.createEnded(outcome.outcome);
  switch (outcome.outcome) {
    case 'created': {
      const { sessionId, checkoutUrl } = outcome;
      session.apply({ type: 'created', sessionId, checkoutUrl });
      return 0;
    }
    case 'rejected':
      throw session.fail(outcome.failure.code, outcome.failure);
    case 'notSent':
      if (isFinal(outcome.failure)) throw session.fail(outcome.failure.code, outcome.failure);
      return backOff(session, failures, outcome.failure);
    case 'unknown':
      return settleUnknown(session, failures, outcome.failure);
  }
}

/** Whether no repetition can help. A refusal that comes with a wait was given some time ago: it may have been mended. */
function isFinal({ code, retryAfterMs }: CallFailure): boolean {
  const row = rowOf(code);
  return row !== undefined && row.repeated !== true && retryAfterMs === undefined;
}

/** An activity failed: before the create was sent, or without telling what became of it. */
interface LostCreate {
  readonly outcome: 'notSent' | 'unknown';
  readonly failure: CallFailure;
}

/**
 * The create gets its own token where the service answers at once; otherwise an activity sees to one, which repeats passing
 * faults. Throws the workflow's failure where no repetition can help.
 */
async function authenticateAndCreate(session: Session): Promise<CreateOutcome | LostCreate> {
  const first = await sendCreate(session);
  if (first.outcome !== 'notAuthenticated') return first;
  const isPassing = !isFinal(first.failure) && first.failure.retryAfterMs === undefined;
  const failure = isPassing ? await getToken(session) : first.failure;
  if (failure !== undefined) return { outcome: 'notSent', failure };
  const second = await sendCreate(session);
  return second.outcome === 'notAuthenticated' ? { ...second, outcome: 'notSent' } : second;
}

/** What a worker says that does not have the account, or cannot read which one it is. */
const LACKS_ACCOUNT: readonly ErrorCode[] = ['UNKNOWN_ACCOUNT', 'ENCRYPTION_KEY_MISSING'];

/** Begun within the deadline. A failed activity becomes an outcome. */
async function sendCreate(session: Session): Promise<CreateResult | LostCreate> {
  const { account } = session;
  const { request } = session.input;
  const withinMs = leftMs(session) + 1;
  const options = { summary: `open ${sessionKind(request)} session`, scheduleToStartTimeout: withinMs };
  try {
    const result = await createSession.executeWithOptions(options, [{ account, request, withinMs }]);
    session.metrics.started(true);
    return result;
  } catch (error) {
    if (isCancellation(error)) throw error;
    const failure = callFailureOf(error);
    session.metrics.started(!LACKS_ACCOUNT.includes(failure.code));
    throwFatal(session, error);
    // A worker that cannot read what it is given has sent nothing, and neither has one that never took it.
    const isUnsent = isRefusal(failure.code) || isNeverStarted(error);
    return { outcome: isUnsent ? 'notSent' : 'unknown', failure };
  }
}

/** Gives why there is none. */
async function getToken(session: Session): Promise<CallFailure | undefined> {
  const options = { summary: 'get an access token', scheduleToCloseTimeout: leftMs(session) + 1 };
  try {
    await authenticate.executeWithOptions(options, [{ account: session.account }]);
    return undefined;
  } catch (error) {
    if (isCancellation(error)) throw error;
    throwFatal(session, error);
    return callFailureOf(error);
  }
}

function throwFatal(session: Session, error: unknown): void {
  const fatal = fatalFailureOf(error);
  if (fatal !== undefined) throw session.fail(fatal.code, fatal);
}

/** A create that only waits for its turn has not failed. */
async function backOff(session: Session, before: number, failure: CallFailure): Promise<number> {
  const failures = failure.code === 'SERVICE_PAUSED' ? before : before + 1;
  const milliseconds = backoffMs(Math.max(failures, 1), Math.random(), failure.retryAfterMs);
  await waitAfter(session, { failure, milliseconds: Math.min(milliseconds, leftMs(session)) }, () =>
    session.cancelPending(),
  );
  return failures;
}

/** A service that loses answer after answer would be left with a session for each: then a person decides. */
const MAX_POSSIBLE_ORPHANS = 3;

/** The create was sent and its answer was lost: the policy says whether to create again or to wait for a decision. */
async function settleUnknown(session: Session, failures: number, failure: CallFailure): Promise<number> {
  const { possibleOrphans } = session.record;
  if (session.policy.onUnknownCreate === 'retry' && possibleOrphans < MAX_POSSIBLE_ORPHANS) {
    session.apply({ type: 'possibleOrphan', detail: `create ${possibleOrphans + 1}: ${failure.code}` });
    return backOff(session, failures, failure);
  }
  session.apply({ type: 'callFailed', failure }, { type: 'createParked' });
  return 0;
}

/** Waits for a decision about a parked create and carries it out; returns early when the workflow should continue as new. */
async function takeDecision(session: Session): Promise<void> {
  await condition(() => session.resolution !== undefined || workflowInfo().continueAsNewSuggested);
  const answer = session.resolution;
  if (answer === undefined) return;
  const result = 'sessionId' in answer ? await adopt(session, answer.sessionId) : giveUpCreate(session);
  session.createResolved({ ...decisionOf(answer), result });
  if ('abandon' in answer) throw session.fail('CREATE_ABANDONED');
}

function giveUpCreate(session: Session): 'applied' {
  const { possibleOrphans } = session.record;
  const detail = `create ${possibleOrphans + 1}: given up by a person’s decision`;
  session.apply({ type: 'possibleOrphan', detail }, { type: 'createUnparked' });
  return 'applied';
}

function decisionOf(answer: ResolveCreate): Pick<Decision, 'decision' | 'by' | 'reason' | 'sessionId'> {
  const { by, reason } = answer;
  const who = { ...(by !== undefined && { by }), ...(reason !== undefined && { reason }) };
  if ('sessionId' in answer) return { decision: 'adopt', sessionId: answer.sessionId, ...who };
  return { decision: 'retry' in answer ? 'retry' : 'abandon', ...who };
}
