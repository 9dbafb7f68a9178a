import { patched } from '@temporalio/workflow';
import type { CallFailure } from '../../src/errors/failures';
import { callFailureOf } from './activity-failures';
import { cancelSession, findSession } from './activity-proxies';
import { backoffMs } from './cadence';
import { interruptible } from './interruptible';
import { continueAsNewIfSuggested } from '../continue-as-new';
import type { Session } from '../session';
import { beginRefresh } from './refresh';
import { wait } from './wait';

/** A service that has denied knowing the session for this long, at every call, will not find it any more. */
const UNKNOWN_FOR_MS = 60 * 60_000;
/** The longest wait between two cancels, whatever the service asks for. */
const LONGEST_WAIT_MS = 60_000;
/** Since 0.1.1: a refresh has the next cancel made, and is answered after it. Before, it waited until the session was settled. */
const REFRESH_IN_CANCEL = 'refresh-in-a-cancel';

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
  let unknownSinceMs: number | undefined;
  for (let attempt = 1; session.cancelPending(); attempt += 1) {
    const answerRefresh = refreshAsked(session) ? beginRefresh(session) : undefined;
    const { failure, unread } = await askToCancel(session);
    if (!session.cancelPending()) return;
    answerRefresh?.(unread);
    unknownSinceMs = failure?.code === 'SERVICE_SESSION_UNKNOWN' ? (unknownSinceMs ?? Date.now()) : undefined;
    if (unknownSinceMs !== undefined && Date.now() - unknownSinceMs >= UNKNOWN_FOR_MS) {
      throw session.fail('SERVICE_SESSION_UNKNOWN');
    }
    await waitForNext(session, attempt, failure);
    await continueAsNewIfSuggested(session);
  }
}

/** Waits for the time of the next cancel; a refresh brings that forward, as far as the service and the policy allow. */
async function waitForNext(session: Session, attempt: number, failure?: CallFailure): Promise<void> {
  const { retryAfterMs = 0, code } = failure ?? {};
  const nowMs = Date.now();
  const untilMs = nowMs + Math.min(backoffMs(attempt, Math.random(), retryAfterMs), LONGEST_WAIT_MS);
  session.apply({ type: 'waits', untilMs });
  const settled = () => !session.cancelPending();
  await wait(untilMs - nowMs, () => settled() || refreshAsked(session), 'cancel again');
  if (settled() || !refreshAsked(session)) return;
  const allowedAtMs = nowMs + (code === 'SERVICE_PAUSED' ? 0 : retryAfterMs);
  const refreshAtMs = Math.max(session.refreshes.notBeforeMs(session.policy.refreshSpacingMs), allowedAtMs);
  await wait(Math.min(refreshAtMs, untilMs) - Date.now(), settled, 'cancel again, for a refresh');
}

const refreshAsked = ({ refreshes }: Session): boolean => refreshes.pending && patched(REFRESH_IN_CANCEL);

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
  session.apply({ type: 'callFailed', failure });
  return { failure, unread };
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
  try {
    const reply = await cancelSession.executeWithOptions({ summary }, [session.serviceSession()]);
    if (reply.outcome === 'refused') return reply.failure;
    session.apply({ type: 'seen', snapshot: reply.snapshot, source: 'cancel' });
    return undefined;
  } catch (error) {
    return callFailureOf(error);
  }
}

/** Returns why the details could not be read. */
async function lookAtDetails(session: Session): Promise<CallFailure | undefined> {
  const summary = 'details after a cancel that was not accepted';
  try {
    const found = await findSession.executeWithOptions({ summary }, [session.serviceSession()]);
    if (found.outcome === 'failed') return found.failure;
    session.apply({ type: 'seen', snapshot: found.snapshot, source: 'poll' });
    return undefined;
  } catch (error) {
    return callFailureOf(error);
  }
}
