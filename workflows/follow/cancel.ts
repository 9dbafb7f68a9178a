import { type CallFailure, withRemedy } from '../../src/errors/failures';
import { backoffMs, givenBackMs } from '../calls/back-off';
import { callFailureOf } from '../calls/activity-failures';
import { cancelSession, findSession } from '../calls/activity-proxies';
import { interruptible } from '../calls/interruptible';
import { continueAsNewIfSuggested } from '../run/continue-as-new';
import type { Session } from '../session';
import { beginRefresh } from './refresh';
import { wait } from '../calls/wait';
import { defined } from '../telling/views';
import { isGivenBack } from '../../src/protocol/activities';

/** A service whose details have denied knowing the session for this long, at every look, will not find it any more. */
const UNKNOWN_FOR_MS = 60 * 60_000;
/** The longest wait between two cancels, whatever the service asks for. */
const LONGEST_WAIT_MS = 60_000;

/** What went wrong with a cancel: that of its last call, and that of its look at the details. */
interface Unsettled {
  readonly failure?: CallFailure | undefined;
  readonly unread?: CallFailure | undefined;
}

/**
 * Cancels an open session at the service and settles what became of it. Asks until the service has settled it; where a
 * cancel is refused or fails, the session's details tell the truth.
 */
export async function cancelAtService(session: Session): Promise<void> {
  let deniedSinceMs: number | undefined;
  for (let attempt = 1; session.cancelPending(); attempt += 1) {
    const answerRefresh = refreshAsked(session) ? beginRefresh(session) : undefined;
    const { failure, unread } = await askToCancel(session);
    if (!session.cancelPending()) return;
    answerRefresh?.(unread);
    // The details say whether the service knows the session, whatever it answers the cancel.
    deniedSinceMs = isDenial(unread) ? (deniedSinceMs ?? Date.now()) : undefined;
    if (isLong(deniedSinceMs)) throw session.fail('SERVICE_SESSION_UNKNOWN');
    await waitForNext(session, attempt, failure);
    await continueAsNewIfSuggested(session);
  }
}

const isDenial = (failure: CallFailure | undefined): boolean => failure?.code === 'SERVICE_SESSION_UNKNOWN';
const isLong = (sinceMs: number | undefined): boolean =>
  sinceMs !== undefined && Date.now() - sinceMs >= UNKNOWN_FOR_MS;

/** Waits for the time of the next cancel; a refresh brings that forward, as far as the service and the policy allow. */
async function waitForNext(session: Session, attempt: number, failure?: CallFailure): Promise<void> {
  const { code } = failure ?? {};
  // A worker without the account's credentials asks for a wait of its own: another one may have them.
  const retryAfterMs = isGivenBack(code) ? 0 : (failure?.retryAfterMs ?? 0);
  const random = Math.random();
  const waitMs = isGivenBack(code) ? givenBackMs(attempt, random) : backoffMs(attempt, random, retryAfterMs);
  const nowMs = Date.now();
  const untilMs = nowMs + Math.min(waitMs, LONGEST_WAIT_MS);
  session.apply({ type: 'waits', untilMs });
  const settled = () => !session.cancelPending();
  await wait(untilMs - nowMs, () => settled() || refreshAsked(session), 'cancel again');
  if (settled() || !refreshAsked(session)) return;
  const allowedAtMs = nowMs + (code === 'SERVICE_PAUSED' ? 0 : retryAfterMs);
  const refreshAtMs = Math.max(session.refreshes.notBeforeMs(session.policy.refreshSpacingMs), allowedAtMs);
  await wait(Math.min(refreshAtMs, untilMs) - Date.now(), settled, 'cancel again, for a refresh');
}

const refreshAsked = ({ refreshes }: Session): boolean => refreshes.pending;

/**
 * One cancel, and a look at the details if it did not settle the session. Waits for neither once the session is settled: a
 * poll that was under way may have seen its end.
 */
async function askToCancel(session: Session): Promise<Unsettled> {
  const settled = () => !session.cancelPending();
  const refusal = await unlessSettled(settled, () => callCancel(session));
  if (refusal === undefined || settled()) return {};
  const unread = await unlessSettled(settled, () => lookAtDetails(session));
  const failure = unread ?? refusal;
  const isShown = unread === undefined && isDenial(refusal);
  session.apply({ type: 'callFailed', failure: isShown ? deniedThoughShown(refusal) : failure });
  return { failure, unread };
}

/** The service knows the session, whatever it answered the cancel. */
function deniedThoughShown({ status, problem }: CallFailure): CallFailure {
  const code = 'SERVICE_FAILED';
  const happened =
    'The payment service shows the session but answers its cancellation with 404: a gateway may lack that path.';
  return { code, message: withRemedy(code, happened), ...defined({ status, problem }) };
}

async function unlessSettled(
  settled: () => boolean,
  call: () => Promise<CallFailure | undefined>,
): Promise<CallFailure | undefined> {
  const outcome = await interruptible(settled, async () => ({ failure: await call() }));
  return outcome.interrupted ? undefined : outcome.value.failure;
}

/** Returns why the service did not cancel. */
async function callCancel(session: Session): Promise<CallFailure | undefined> {
  const summary = `cancel, asked by ${session.record.cancel?.by ?? 'caller'}`;
  const lookedAtMs = Date.now();
  try {
    const options = { summary, ...session.dispatch };
    const reply = await cancelSession.executeWithOptions(options, [session.serviceSession()]);
    if (reply.outcome === 'refused') return reply.failure;
    session.apply({ type: 'seen', snapshot: reply.snapshot, source: 'cancel', lookedAtMs });
    return undefined;
  } catch (error) {
    return callFailureOf(error);
  }
}

/** Returns why the details could not be read. */
async function lookAtDetails(session: Session): Promise<CallFailure | undefined> {
  const summary = 'details after a cancellation that was not accepted';
  const lookedAtMs = Date.now();
  try {
    const options = { summary, ...session.dispatch };
    const found = await findSession.executeWithOptions(options, [session.serviceSession()]);
    if (found.outcome === 'failed') return found.failure;
    session.apply({ type: 'seen', snapshot: found.snapshot, source: 'poll', lookedAtMs });
    return undefined;
  } catch (error) {
    return callFailureOf(error);
  }
}
