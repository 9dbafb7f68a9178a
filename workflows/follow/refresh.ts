import { CancellationScope } from '@temporalio/workflow';
import type { CallFailure } from '../../src/errors/failures';
import type { Session } from '../session';
import { callFailureOf } from '../calls/activity-failures';
import { pollSession } from '../calls/activity-proxies';
import type { FollowEnd } from './follower';
import { interruptible } from '../calls/interruptible';

/** Begins a look at the service for the refreshes that were asked for; gives what answers them when it has ended. */
export function beginRefresh(session: Session): (failure?: CallFailure) => void {
  const { length: count } = session.record.decisions;
  const served = session.refreshes.begin(Date.now());
  return (failure) => {
    session.apply({ type: 'refreshed', count, result: failure?.code ?? 'applied' });
    served();
  };
}

/** Polls once for the refreshes that were asked for. Gives how it ended, unless a cancel came first. */
export async function pollForRefresh(session: Session): Promise<FollowEnd | undefined> {
  const { reportCount } = session;
  const lookedAtMs = Date.now();
  const answer = beginRefresh(session);
  const outcome = await interruptible(
    () => session.cancelPending(),
    () => pollOnce(session),
  );
  if (outcome.interrupted) {
    // What it still sees counts.
    void outcome.late.then((late) => late && apply(session, late, lookedAtMs, reportCount));
    return undefined;
  }
  const end = outcome.value;
  if (!apply(session, end, lookedAtMs, reportCount)) return undefined;
  answer(end.outcome === 'failed' ? end.failure : undefined);
  return end;
}

/** Whether the end tells how the session stands. */
function apply(session: Session, end: FollowEnd, lookedAtMs: number, reportCount: number): boolean {
  return end.outcome === 'seen'
    ? session.applyPoll({ ...end, lookedAtMs }, reportCount)
    : end.outcome === 'failed';
}

async function pollOnce(session: Session): Promise<FollowEnd> {
  const input = { ...session.serviceSession(), urgent: true };
  const options = { summary: 'poll details, for a refresh', ...session.dispatch };
  // It ends by itself: the engine is not asked to cancel it.
  const poll = () => pollSession.executeWithOptions(options, [input]);
  try {
    return await CancellationScope.nonCancellable(poll);
  } catch (error) {
    return { outcome: 'failed', failure: callFailureOf(error) };
  }
}
