import { isCancellation, workflowInfo } from '@temporalio/workflow';
import {
  type CreateResult,
  type EndedCreate,
  type LostBefore,
  isGivenBack,
} from '../../src/protocol/activities';
import type { OpenedSession } from '../../src/protocol/state/session';
import { type CallFailure, withRemedy } from '../../src/errors/failures';
import { rowOf, type ErrorCode } from '../../src/errors/codes';
import { isRefusal } from '../../src/protocol/temporal/encrypted-payload';
import { authenticate, callFailureOf, createSession, isNeverStarted } from '../activities';
import { backoffMs, claimBackoffMs } from '../back-off';
import { askLedger, isOfLedger, knownOnLedger, lookUpLost, noteOrphan, recordUnknown } from './lost-create';
import { takeDecision } from './carry-out-decision';
import { tellParking } from '../notify';
import { continueSuggested, resetSettled, wasReset } from '../per-run';
import type { SessionRecord } from '../record/session-record';
import type { Session } from '../session';
import { sessionKind } from '../../src/contract/statuses';
import { carriedWaitMs, continueAsNewIfSuggested, unlessInterrupted, wait, waitAfter } from '../timers';

/**
 * Creates the session at the payment service, at most once unless the policy or a person decides to create again.
 * Returns once the session is created or adopted, or has ended: a cancel came first, or the ledger knows its end. Throws
 * the workflow's failure if the session cannot be created.
 */
export async function createAtService(session: Session): Promise<void> {
  let failures = await finishCarriedWait(session);
  let recorded = await settleAndRecord(session, session.record);
  while (session.record.sessionId === undefined && !session.record.ended) {
    if (session.record.parked) {
      await takeDecision(session);
    } else {
      const begin = session.cancelPending() ? cancelBeforeCreate : attemptCreate;
      const step = leftMs(session) === 0 ? passDeadline : begin;
      failures = await step(session, failures);
    }
    recorded = await settleAndRecord(session, recorded);
    await continueAsNewIfSuggested(session);
  }
}

/**
 * Settles a reset. Then records in the ledger the parks, and the decisions about them, that are newer than the record
 * `before`. Returns the current record.
 */
async function settleAndRecord(session: Session, before: SessionRecord): Promise<SessionRecord> {
  await settleReset(session);
  const { record } = session;
  tellParking(session, before);
  return record;
}

/** Waits for the rest of the previous run's wait. Returns how many attempts have failed in a row, or 0 if no wait is left. */
async function finishCarriedWait(session: Session): Promise<number> {
  const untilMs = carriedWaitMs(session);
  if (untilMs === 0) return 0;
  await wait(untilMs - Date.now(), () => session.cancelPending(), 'create again');
  return session.record.trouble?.failures ?? 0;
}

/**
 * Settles a reset of the run: the part that the reset has undone may include a create. The ledger may know its outcome.
 * Otherwise a person decides. If the create is in the remaining history, there is nothing to settle. A reset of a parked
 * session is settled after the person's decision, which may be an earlier decision that Temporal has applied again.
 */
async function settleReset(session: Session): Promise<void> {
  if (session.record.parked || session.record.ended) return;
  if (session.record.sessionId !== undefined) resetSettled();
  else if (wasReset()) {
    resetSettled();
    const known = await knownOnLedger(session);
    if (known !== undefined) await settleCreate(session, 0, known);
    else recordUnknown(session, { failure: repeatedAfterReset(), isUndone: true });
  }
}

/** Applies a successful create, and the lost creates that only the ledger still knows. */
function applyCreated(
  session: Session,
  { sessionId, checkoutUrl, lostCreates = 0 }: OpenedSession & LostBefore,
): void {
  while (session.record.possibleOrphans < lostCreates) noteOrphan(session, 'SERVICE_INTERRUPTED');
  session.apply({ type: 'created', sessionId, checkoutUrl });
}

function repeatedAfterReset(): CallFailure {
  const code = 'SERVICE_INTERRUPTED';
  const happened = 'A reset may have undone a create request, which may have reached the service.';
  return { code, message: withRemedy(code, happened) };
}

/** Returns the time until the create's deadline, in milliseconds. */
const leftMs = ({ record, policy }: Session): number =>
  Math.max(0, record.deadlineFromMs + policy.deadlineMs - Date.now());

/** Attempts the create. Returns how many attempts have failed in a row. */
async function attemptCreate(session: Session, failures: number): Promise<number> {
  const cancelled = () => session.cancelPending();
  const outcome = await unlessInterrupted(cancelled, () => authenticateAndCreate(session));
  if (outcome === undefined) return failures;
  count(session, outcome);
  return settleCreate(session, failures, outcome);
}

/**
 * Ends a session that is cancelled before its create, unless the ledger knows of an earlier create or another session of
 * the key: Temporal may have forgotten them. While the ledger does not answer, the session waits.
 */
async function cancelBeforeCreate(session: Session, failures: number): Promise<number> {
  let known: SettledCreate | undefined;
  let failure: CallFailure | undefined;
  try {
    known = await askLedger(session);
    if (known?.outcome === 'notSent' && isOfLedger(known.failure.code)) ({ failure } = known);
  } catch (error) {
    if (isCancellation(error)) throw error;
    failure = callFailureOf(error);
  }
  if (failure !== undefined) {
    const milliseconds = Math.min(claimBackoffMs(failures + 1, Math.random()), leftMs(session));
    await waitAfter(session, { failure, milliseconds }, continueSuggested);
    return failures + 1;
  }
  if (known !== undefined) return settleCreate(session, failures, known);
  session.apply({ type: 'cancelledBeforeCreate' });
  return 0;
}

/**
 * Fails a session whose deadline has passed, unless the ledger knows of a create. Temporal forgets a create if
 * Temporal itself is restored to an earlier moment.
 */
async function passDeadline(session: Session, failures: number): Promise<number> {
  let known: EndedCreate | undefined;
  try {
    // The time is limited, because perhaps no worker is running.
    known = await askLedger(session, '30s');
  } catch {
    // The ledger may have claimed the key although no answer came. Then it also needs the session's end.
    session.apply({ type: 'claimed' });
  }
  if (known !== undefined && known.outcome !== 'notSent') await settleCreate(session, failures, known);
  const { sessionId, parked, ended } = session.record;
  if (sessionId === undefined && !parked && !ended && !wasReset())
    throw session.fail('CREATE_DEADLINE_PASSED');
  return 0;
}

async function settleCreate(session: Session, failures: number, outcome: SettledCreate): Promise<number> {
  switch (outcome.outcome) {
    case 'created':
      applyCreated(session, outcome);
      return 0;
    case 'recorded':
      session.metrics.answered();
      session.apply({ type: 'recorded', result: outcome.result });
      return 0;
    case 'failedBefore':
      session.metrics.answered();
      session.apply({ type: 'failedBefore' });
      throw session.fail(outcome.failure.code, outcome.failure);
    case 'rejected':
      throw session.fail(outcome.failure.code, outcome.failure);
    case 'notSent':
      if (isGivenBack(outcome.failure.code)) return waitForWorker(session, failures, outcome.failure);
      if (isFinal(outcome.failure)) throw session.fail(outcome.failure.code, outcome.failure);
      return backOff(session, failures, outcome.failure);
    case 'lostUnsent':
      // Detecting the lost worker took long enough, so the session tries again without back-off.
      session.apply({ type: 'callFailed', failure: outcome.failure });
      return failures;
    case 'unknown':
      while (session.record.possibleOrphans + 1 < (outcome.lostCreates ?? 0))
        noteOrphan(session, outcome.failure.code);
      recordUnknown(session, { ...outcome, isUndone: isUndone(outcome) });
      if (outcome.isRepeated === true) resetSettled();
      return session.record.parked ? 0 : backOff(session, failures, outcome.failure);
  }
}

/**
 * Waits until a worker may be able to create the session. Ignores the wait that the failure asks for, which binds only
 * one worker.
 */
async function waitForWorker(session: Session, failures: number, failure: CallFailure): Promise<number> {
  const { isAsked, ...pause } = session.openings.giveBack(Math.random());
  const milliseconds = Math.min(pause.milliseconds, leftMs(session));
  await waitAfter(session, { failure, milliseconds }, () => isCalled(session) || isAsked());
  return failures;
}

/**
 * True if repeating the create cannot help. If a refusal has `retryAfterMs`, the worker only repeats an earlier refusal. An
 * operator may have fixed its cause, so the create is repeated.
 */
function isFinal({ code, retryAfterMs }: CallFailure): boolean {
  const row = rowOf(code);
  return row !== undefined && row.repeated !== true && retryAfterMs === undefined;
}

/**
 * The outcome of a create, as the workflow itself concludes it. `lostUnsent`: the worker was lost before it sent the
 * create.
 */
interface LostCreate {
  readonly outcome: 'notSent' | 'lostUnsent' | 'unknown';
  readonly failure: CallFailure;
  readonly sessionId?: undefined;
  /** True if the create may have been sent before the run was reset, and was not sent after the reset. */
  readonly isRepeated?: true;
  /** Always absent: the workflow itself counts its creates with an unknown outcome. */
  readonly lostCreates?: undefined;
}

/** Creates the session, or finds in the ledger what became of a create that a reset may have undone. */
async function authenticateAndCreate(session: Session): Promise<SettledCreate> {
  const settled = await authenticateAndSend(session);
  // A worker asks the ledger only once, with the time at which the create was first scheduled. So the workflow asks again.
  return isUndone(settled) ? ((await knownOnLedger(session)) ?? settled) : settled;
}

/** True if the create may have been sent before the run was reset. The reset may also have undone the answer. */
const isUndone = (settled: SettledCreate): boolean =>
  settled.outcome === 'unknown' && settled.isRepeated === true && wasReset();

/**
 * Sends the create. The create's activity also gets the token, if the service answers soon. If it does not, or after
 * another passing fault, the activity `authenticate` gets the token, and the create is sent after it.
 */
async function authenticateAndSend(session: Session): Promise<SettledCreate> {
  const first = await sendCreate(session);
  if (first.outcome !== 'notAuthenticated') return first;
  const isPassing = !isFinal(first.failure) && first.failure.retryAfterMs === undefined;
  const failure = isPassing ? await getToken(session) : first.failure;
  if (failure !== undefined) return { outcome: 'notSent', failure };
  if (wasReset()) return { outcome: 'unknown', failure: repeatedAfterReset(), isRepeated: true };
  const second = await sendCreate(session);
  return second.outcome === 'notAuthenticated' ? { ...second, outcome: 'notSent' } : second;
}

/** The final outcome of a create. */
type SettledCreate = EndedCreate | LostCreate;

/**
 * Counts a create, and the session's start, unless the ledger has the end of the key's session. While the ledger does
 * not answer, it may have that end, so the start is not counted yet.
 */
function count({ metrics }: Session, settled: SettledCreate): void {
  if (settled.outcome === 'recorded' || settled.outcome === 'failedBefore') return;
  const code = 'failure' in settled ? settled.failure.code : undefined;
  metrics.sawAccount(hasAccount(code));
  if (code === undefined || !isOfLedger(code)) metrics.started();
  metrics.createEnded(settled.outcome === 'lostUnsent' ? 'notSent' : settled.outcome);
}

/** The errors of a worker that does not have the account, or cannot read which account it is. */
const LACKS_ACCOUNT: readonly ErrorCode[] = ['UNKNOWN_ACCOUNT', 'ENCRYPTION_KEY_MISSING'];

const hasAccount = (code: ErrorCode | undefined): boolean =>
  code === undefined || !LACKS_ACCOUNT.includes(code);

/** Sends the create, if a worker takes it before the deadline. Converts a failed activity to an outcome. */
async function sendCreate(session: Session): Promise<CreateResult | LostCreate> {
  const { account } = session;
  const { request } = session.input;
  const { runId } = workflowInfo();
  const claim = session.keyClaim();
  const isClaimed = session.record.onLedger === true && ({ isClaimed: true } as const);
  const withinMs = leftMs(session) + 1;
  const { since } = session.record.trouble ?? {};
  const waited = since !== undefined && { waitedMs: Math.max(0, Date.now() - Date.parse(since)) };
  const options = {
    summary: `open ${sessionKind(request)} session`,
    scheduleToStartTimeout: withinMs,
    ...session.dispatch,
  };
  try {
    const result = await createSession.executeWithOptions(options, [
      { account, request, withinMs, runId, claim, ...isClaimed, ...waited },
    ]);
    if (result.onLedger === true && session.record.onLedger !== true) session.apply({ type: 'claimed' });
    return result;
  } catch (error) {
    if (isCancellation(error)) throw error;
    const failure = callFailureOf(error);
    // A worker that refuses or cannot read its input, or lacks the account, has sent nothing. Nothing was sent either
    // if no worker took the create.
    const isRefused = isFinal(failure) || isRefusal(failure.code) || isGivenBack(failure.code);
    if (isRefused || isNeverStarted(error)) return { outcome: 'notSent', failure };
    return (await lookUpLost(session, error)) ?? { outcome: 'unknown', failure };
  }
}

/** Gets an access token. Returns the failure, or `undefined` if there is a token. */
async function getToken(session: Session): Promise<CallFailure | undefined> {
  const options = {
    summary: 'get an access token',
    scheduleToCloseTimeout: leftMs(session) + 1,
    ...session.dispatch,
  };
  try {
    await authenticate.executeWithOptions(options, [{ account: session.account }]);
    return undefined;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return callFailureOf(error);
  }
}

/**
 * Waits before the next create. Returns how many attempts have failed in a row. A create that only waits for its turn
 * has not failed.
 */
async function backOff(session: Session, before: number, failure: CallFailure): Promise<number> {
  const failures = failure.code === 'SERVICE_PAUSED' ? before : before + 1;
  const attempt = Math.max(failures, 1);
  const milliseconds = isOfLedger(failure.code)
    ? claimBackoffMs(attempt, Math.random())
    : backoffMs(attempt, Math.random(), failure.retryAfterMs);
  await waitAfter(session, { failure, milliseconds: Math.min(milliseconds, leftMs(session)) }, () =>
    isCalled(session),
  );
  return failures;
}

/** True if the session should break off a wait: for a cancel, or to continue as new. */
const isCalled = (session: Session): boolean => session.cancelPending() || continueSuggested();
