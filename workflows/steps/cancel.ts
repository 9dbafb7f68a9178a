import type { CallFailure } from '../../src/errors/failures';
import { callFailureOf } from './activity-failures';
import { cancelSession, findSession } from './activity-proxies';
import { backoffMs } from './cadence';
import { interruptible } from './interruptible';
import { continueAsNewIfSuggested } from '../continue-as-new';
import type { Session } from '../session';
import { wait } from './wait';

/** A service that has denied knowing the session for this long, at every call, will not find it any more. */
const UNKNOWN_FOR_MS = 60 * 60_000;
/** The longest wait between two cancels, whatever the service asks for. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Cancels an open session at the service and settles what became of it. Asks until the service has settled it; where a
 * cancel is refused or fails, the session's details tell the truth.
 */
export async function cancelAtService(session: Session): Promise<void> {
  let unknownSinceMs: number | undefined;
  for (let attempt = 1; session.cancelPending(); attempt += 1) {
    const failure = await askToCancel(session);
    if (!session.cancelPending()) return;
    unknownSinceMs = failure?.code === 'SERVICE_SESSION_UNKNOWN' ? (unknownSinceMs ?? Date.now()) : undefined;
    if (unknownSinceMs !== undefined && Date.now() - unknownSinceMs >= UNKNOWN_FOR_MS) {
      throw session.fail('SERVICE_SESSION_UNKNOWN');
    }
    const waitMs = Math.min(backoffMs(attempt, Math.random(), failure?.retryAfterMs), LONGEST_WAIT_MS);
    session.apply({ type: 'waits', untilMs: Date.now() + waitMs });
    await wait(waitMs, () => !session.cancelPending(), 'cancel again');
    await continueAsNewIfSuggested(session);
  }
}

/**
 * One cancel, and a look at the details if it did not settle the session. Returns what went wrong last. Waits for neither
 * once the session is settled: a poll that was under way may have seen its end.
 */
async function askToCancel(session: Session): Promise<CallFailure | undefined> {
  const settled = () => !session.cancelPending();
  const refusal = await unlessSettled(settled, () => callCancel(session));
  if (refusal === undefined || settled()) return undefined;
  const unread = await unlessSettled(settled, () => lookAtDetails(session));
  const failure = unread ?? refusal;
  session.apply({ type: 'callFailed', failure });
  return failure;
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
