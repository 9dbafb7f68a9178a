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
import { noteReset, takeDecision } from './carry-out-decision';
import { recordParking } from '../notify';
import { continueSuggested, resetSettled, wasReset } from '../per-run';
import type { Session } from '../session';
import { sessionKind } from '../../src/contract/statuses';
import {
  carriedWaitEndMs,
  continueSession,
  shouldContinueAsNew,
  unlessInterrupted,
  wait,
  waitAfter,
} from '../timers';

/**
 * Creates the session at the payment service. Sends another create request only if the policy or a person decides so. Returns
 * once the session is created or adopted, or has ended. A session ends here if a cancel came before the create, or if the
 * ledger knows that the key's session has already ended. Throws the workflow's failure if the session cannot be created.
 *
 * In this folder, a "create" is a create request to the service. A "parked" create has an unknown outcome, and waits for a
 * person's decision.
 */
export async function createAtService(session: Session): Promise<void> {
  // A created session waits for its next poll in `follow`, where a refresh can end the wait.
  const untilMs = session.record.sessionId === undefined ? (carriedWaitEndMs(session) ?? 0) : 0;
  let failures = untilMs > Date.now() ? await finishCarriedWait(session, untilMs) : 0;
  let recorded = session.record;
  for (let steps = 0; ; steps += 1) {
    if (isResetUnsettled(session)) await settleReset(session);
    recordParking(session, recorded);
    recorded = session.record;
    if (steps > 0 && shouldContinueAsNew(session)) {
      // The next run will not know that this run was reset, so the reset is settled now.
      if (recorded.parked) noteReset(session);
      await continueSession(session);
    }
    if (recorded.sessionId !== undefined || recorded.ended) return;
    if (recorded.parked) {
      await takeDecision(session);
    } else {
      const begin = session.cancelPending() ? cancelBeforeCreate : attemptCreate;
      const step = leftMs(session) === 0 ? passDeadline : begin;
      failures = await step(session, failures);
    }
  }
}

/** Waits for the rest of a wait that the previous run began. Returns the number of attempts that have failed in a row. */
async function finishCarriedWait(session: Session, untilMs: number): Promise<number> {
  await wait(untilMs - Date.now(), () => session.cancelPending(), 'create again');
  return session.record.trouble?.failures ?? 0;
}

/**
 * True if the run was reset, and the reset is not settled yet. A reset of a parked session is settled only after the person's
 * decision: Temporal may apply an earlier decision again after the reset.
 */
const isResetUnsettled = ({ record }: Session): boolean => wasReset() && !record.parked && !record.ended;

/**
 * Settles a reset of the run. The part of the history that the reset has undone may include a create. If the ledger knows
 * that create's outcome, the outcome is applied. Otherwise, the session is parked, so that a person decides. If the session's
 * creation is in the remaining history, nothing was lost.
 */
async function settleReset(session: Session): Promise<void> {
  resetSettled();
  if (session.record.sessionId !== undefined) return;
  const known = await knownOnLedger(session);
  if (known !== undefined) await settleCreate(session, 0, known);
  else recordUnknown(session, { failure: repeatedAfterReset(), isUndone: true });
}

/** Applies a successful create. Also records possible orphans for lost creates that only the ledger knows. */
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

/** Returns the time until the session's deadline, in milliseconds. */
const leftMs = ({ record, policy }: Session): number =>
  Math.max(0, record.deadlineFromMs + policy.deadlineMs - Date.now());

/** Attempts the create. Returns the number of attempts that have failed in a row. */
async function attemptCreate(session: Session, failures: number): Promise<number> {
  const cancelled = () => session.cancelPending();
  const outcome = await unlessInterrupted(cancelled, () => authenticateAndCreate(session));
  if (outcome === undefined) return failures;
  count(session, outcome);
  return settleCreate(session, failures, outcome);
}

/**
 * Ends a session that is cancelled before it is created. First asks the ledger, which may know an earlier create or another
 * session of the key that Temporal has dropped. While the ledger does not answer, the session waits.
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
 * Fails a session whose deadline has passed. First asks the ledger, which may know a create that Temporal has lost. Temporal
 * loses a create if its database is restored to an earlier moment.
 */
async function passDeadline(session: Session, failures: number): Promise<number> {
  let known: EndedCreate | undefined;
  try {
    // The call has a time limit, because there may be no running worker.
    known = await askLedger(session, '30s');
  } catch {
    // The ledger may have claimed the key, although its answer was lost. It then also needs the session's end.
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
      // The session tries again at once, because the detection of the lost worker has already taken long.
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
 * Waits until a worker may be able to create the session. Ignores the wait that the failure asks for, because that wait
 * applies only to one worker.
 */
async function waitForWorker(session: Session, failures: number, failure: CallFailure): Promise<number> {
  const { isAsked, ...pause } = session.openings.giveBack(Math.random());
  const milliseconds = Math.min(pause.milliseconds, leftMs(session));
  await waitAfter(session, { failure, milliseconds }, () => isCalled(session) || isAsked());
  return failures;
}

/**
 * True if repeating the create cannot help. A failure with `retryAfterMs` is not final: the worker has only repeated an
 * earlier refusal of the service, whose cause an operator may have fixed since.
 */
function isFinal({ code, retryAfterMs }: CallFailure): boolean {
  const row = rowOf(code);
  return row !== undefined && row.repeated !== true && retryAfterMs === undefined;
}

/**
 * The outcome of a create whose activity returned no outcome, so that the workflow has to conclude it. `lostUnsent`: the
 * worker was lost before it sent the create.
 */
interface LostCreate {
  readonly outcome: 'notSent' | 'lostUnsent' | 'unknown';
  readonly failure: CallFailure;
  readonly sessionId?: undefined;
  /** True if the create may have been sent before the run was reset. It was not sent again after the reset. */
  readonly isRepeated?: true;
  /** Always absent, because the workflow itself counts its lost creates. */
  readonly lostCreates?: undefined;
}

/** Attempts the create. If a reset may have undone an earlier create, looks up that create's outcome in the ledger. */
async function authenticateAndCreate(session: Session): Promise<SettledCreate> {
  const settled = await authenticateAndSend(session);
  // The worker's own question to the ledger had the time at which the create was first scheduled, before the reset. So
  // the workflow asks again.
  return isUndone(settled) ? ((await knownOnLedger(session)) ?? settled) : settled;
}

/** True if the create may have been sent before the run was reset, so that the reset may have undone its answer. */
const isUndone = (settled: SettledCreate): boolean =>
  settled.outcome === 'unknown' && settled.isRepeated === true && wasReset();

/**
 * Sends the create. The create's activity first gets an access token, if the service answers soon. After a passing fault,
 * such as a slow answer, the activity `authenticate` gets the token, and then the create is sent.
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

/** The outcome of a create, after the workflow has handled a missing token. */
type SettledCreate = EndedCreate | LostCreate;

/**
 * Counts a create and the session's start in the metrics. Counts neither if the ledger has the end of the key's session.
 * While the ledger does not answer, the start is not counted yet, because the ledger may have that end.
 */
function count({ metrics }: Session, settled: SettledCreate): void {
  if (settled.outcome === 'recorded' || settled.outcome === 'failedBefore') return;
  const code = 'failure' in settled ? settled.failure.code : undefined;
  metrics.sawAccount(hasAccount(code));
  if (code === undefined || !isOfLedger(code)) metrics.started();
  metrics.createEnded(settled.outcome === 'lostUnsent' ? 'notSent' : settled.outcome);
}

/** The errors of a worker that does not have the account, or that cannot decrypt the account's name. */
const LACKS_ACCOUNT: readonly ErrorCode[] = ['UNKNOWN_ACCOUNT', 'ENCRYPTION_KEY_MISSING'];

const hasAccount = (code: ErrorCode | undefined): boolean =>
  code === undefined || !LACKS_ACCOUNT.includes(code);

/** Sends the create, if a worker takes it before the deadline. Converts an error of the activity to an outcome. */
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
    // Nothing was sent if no worker took the create, or if the worker refused its input, could not read it or lacks the
    // account.
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
 * Waits before the next attempt. Returns the number of attempts that have failed in a row. A create that only waits for its
 * turn has not failed.
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

/** True if the session should end its wait, to cancel or to continue as new. */
const isCalled = (session: Session): boolean => session.cancelPending() || continueSuggested();
