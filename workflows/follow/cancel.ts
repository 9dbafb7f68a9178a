import { defined } from '../../src/contract/values/json';
import { type CallFailure, withRemedy } from '../../src/errors/failures';
import type { Denials } from '../record/session-record';
import type { Session } from '../session';
import { isGivenBack, type CancelResult, type FindResult } from '../../src/protocol/activities';
import { callFailureOf, cancelSession, findSession } from '../activities';
import { askedMs, backoffMs, givenBackMs } from '../back-off';
import { continueSession, interruptible, shouldContinueAsNew, wait } from '../timers';

/**
 * The service denies a session if it answers that it does not know the session. If all reads of the details deny the
 * session for this long, the workflow gives the session up.
 */
const UNKNOWN_FOR_MS = 60 * 60_000;
/** The longest wait between two cancel requests, even if the service asks for a longer one. */
const LONGEST_WAIT_MS = 60_000;
/**
 * The longest time between two denials that counts in full. Of a longer gap, only this much counts, because perhaps no
 * worker was running.
 */
const COUNTED_MS = 2 * LONGEST_WAIT_MS;

/**
 * Cancels an open session at the service. Repeats the request until the cancellation has an outcome. If a request is
 * refused or fails, reads the session's details, which show the session's true state. If the details deny the session
 * for an hour, throws the workflow's failure `SERVICE_SESSION_UNKNOWN`.
 */
export async function cancelAtService(session: Session): Promise<void> {
  for (let attempt = 1; session.cancelPending(); attempt += 1) {
    const answerRefresh = session.refreshes.pending ? session.beginRefresh() : undefined;
    const { failure, unread } = await askToCancel(session);
    if (!session.cancelPending()) return;
    answerRefresh?.(unread);
    const nowMs = Date.now();
    // Only the details count. If the cancel request is denied, a gateway may lack the cancel path.
    const denials = isDenial(unread) ? denialsUntil(nowMs, session.denials) : undefined;
    if (denials !== undefined && denials.forMs >= UNKNOWN_FOR_MS)
      throw session.fail('SERVICE_SESSION_UNKNOWN');
    session.denials = denials;
    await waitFor(session, nextCancel(failure, { attempt, nowMs, random: Math.random() }));
    if (shouldContinueAsNew(session)) await continueSession(session);
  }
}

/** Adds a denial to a series. Pure. */
export const denialsUntil = (
  nowMs: number,
  { forMs, atMs }: Denials = { forMs: 0, atMs: nowMs },
): Denials => ({
  forMs: forMs + Math.min(nowMs - atMs, COUNTED_MS),
  atMs: nowMs,
});

const isDenial = (failure: CallFailure | undefined): boolean => failure?.code === 'SERVICE_SESSION_UNKNOWN';

/**
 * The failures of one attempt to cancel. `failure` is the failure of the last failed call. `unread` is the failure of
 * reading the details.
 */
interface Unsettled {
  readonly failure?: CallFailure | undefined;
  readonly unread?: CallFailure | undefined;
}

/**
 * Cancels once. If the request is refused or fails, reads the details. Stops waiting as soon as the cancellation has an
 * outcome, because a poll that is still running may report the session's end first.
 */
async function askToCancel(session: Session): Promise<Unsettled> {
  const refusal = await called(session, 'cancel');
  if (refusal === undefined || !session.cancelPending()) return {};
  const unread = await called(session, 'poll');
  const isShown = unread === undefined && isDenial(refusal);
  const failure = isShown ? deniedThoughShown(refusal) : (unread ?? refusal);
  session.apply({ type: 'callFailed', failure });
  return { failure: unread ?? refusal, unread };
}

/**
 * Makes one call: cancels, or reads the details. Returns the call's failure. Returns `undefined` if the call succeeded,
 * or if the cancellation got its outcome meanwhile.
 */
async function called(session: Session, source: 'cancel' | 'poll'): Promise<CallFailure | undefined> {
  const outcome = await interruptible(
    () => !session.cancelPending(),
    async () => ({ failure: await applyAnswer(session, source) }),
  );
  return outcome.interrupted ? undefined : outcome.value.failure;
}

async function applyAnswer(session: Session, source: 'cancel' | 'poll'): Promise<CallFailure | undefined> {
  const lookedAtMs = Date.now();
  try {
    const answer = await (source === 'cancel' ? callCancel(session) : readDetails(session));
    if ('failure' in answer) return answer.failure;
    session.apply({ type: 'seen', snapshot: answer.snapshot, source, lookedAtMs });
    return undefined;
  } catch (error) {
    return callFailureOf(error);
  }
}

function callCancel(session: Session): Promise<CancelResult> {
  const summary = `cancel, asked by ${session.record.cancel?.by ?? 'caller'}`;
  const options = { summary, ...session.dispatch };
  return cancelSession.executeWithOptions(options, [session.serviceSession()]);
}

function readDetails(session: Session): Promise<FindResult> {
  const options = { summary: 'details after a cancellation that was not accepted', ...session.dispatch };
  return findSession.executeWithOptions(options, [session.serviceSession()]);
}

/**
 * Returns the failure to record if the service shows the session in its details, but denies it when asked to cancel.
 */
function deniedThoughShown({ status, problem }: CallFailure): CallFailure {
  const code = 'SERVICE_FAILED';
  const happened =
    'The payment service shows the session but answers its cancellation with 404: a gateway may lack that path.';
  return { code, message: withRemedy(code, happened), ...defined({ status, problem }) };
}

/**
 * The time of the next cancel request, `atMs`, and the earliest time to which a refresh may move it, `allowedAtMs`.
 * Epoch milliseconds.
 */
interface NextCancel {
  readonly atMs: number;
  readonly allowedAtMs: number;
}

/** The inputs that decide the time of the next cancel request. */
interface CancelAttempt {
  /** The number of the last attempt, from 1. */
  readonly attempt: number;
  readonly nowMs: number;
  /** A random number from 0 to 1, which varies the wait. */
  readonly random: number;
}

/** Returns the time of the next cancel request, after a request without an outcome. Pure. */
export function nextCancel(
  failure: Partial<CallFailure> = {},
  { attempt, nowMs, random }: CancelAttempt,
): NextCancel {
  const { code } = failure;
  const retryAfterMs = askedMs(failure);
  const waitMs = isGivenBack(code) ? givenBackMs(attempt, random) : backoffMs(attempt, random, retryAfterMs);
  return {
    atMs: nowMs + Math.min(waitMs, LONGEST_WAIT_MS),
    // While the account's calls are paused, the worker decides when a call may be sent. So the workflow adds no wait.
    allowedAtMs: nowMs + (code === 'SERVICE_PAUSED' ? 0 : retryAfterMs),
  };
}

/**
 * Waits for the time of the next cancel request. A refresh ends the wait early, as far as the service and the policy
 * allow.
 */
async function waitFor(session: Session, { atMs, allowedAtMs }: NextCancel): Promise<void> {
  const { refreshes, policy } = session;
  const settled = () => !session.cancelPending();
  session.apply({ type: 'waits', untilMs: atMs });
  await wait(atMs - Date.now(), () => settled() || refreshes.pending, 'cancel again');
  if (settled() || !refreshes.pending) return;
  const refreshAtMs = Math.max(refreshes.notBeforeMs(policy.refreshSpacingMs), allowedAtMs);
  await wait(Math.min(refreshAtMs, atMs) - Date.now(), settled, 'cancel again, for a refresh');
}
