import { serviceFailureOf } from './activity-failures';
import { cancelSession, findSession } from './activity-proxies';
import { backoffMs } from './cadence';
import type { Session } from './session';

/** After this many refusals in a row, a session that the service does not know is given up. */
const MAX_UNKNOWN_REPLIES = 5;

/**
 * Cancels an open session at the service and settles what became of it. The activity repeats the call until the
 * service answers; where the answer is a refusal, the session's details tell the truth.
 */
export async function cancelAtService(session: Session): Promise<void> {
  for (let attempt = 1; session.cancelPending(); attempt += 1) {
    const isKnown = await askToCancel(session);
    if (!session.cancelPending()) return;
    if (!isKnown && attempt >= MAX_UNKNOWN_REPLIES) throw session.fail('SERVICE_SESSION_UNKNOWN');
    await session.wait(backoffMs(attempt, Math.random()), () => session.closing(), 'cancel again');
    await session.continueAsNewIfSuggested();
  }
}

/** One cancel call, and a look at the details where it was refused; false when the service does not know the session. */
async function askToCancel(session: Session): Promise<boolean> {
  const { account, record } = session;
  const input = { account, sessionId: record.sessionId ?? '' };
  try {
    const reply = await cancelSession.executeWithOptions(
      { summary: `cancel, asked by ${record.cancel?.by ?? 'caller'}` },
      [input],
    );
    if (reply.outcome === 'answered') {
      session.apply({ type: 'seen', snapshot: reply.snapshot, source: 'cancel' });
      return true;
    }
    const found = await findSession.executeWithOptions({ summary: 'details after a refused cancel' }, [
      input,
    ]);
    if (found.outcome === 'found') {
      session.apply({ type: 'seen', snapshot: found.snapshot, source: 'poll' });
      return true;
    }
    session.apply({ type: 'callFailed', failure: found.failure });
    return found.failure.code !== 'SERVICE_SESSION_UNKNOWN';
  } catch (error) {
    session.apply({ type: 'callFailed', failure: serviceFailureOf(error) });
    return true;
  }
}
