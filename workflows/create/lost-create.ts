import { CancellationScope, patched } from '@temporalio/workflow';
import { withRemedy } from '../../src/errors/explain';
import type { CallFailure } from '../../src/errors/failures';
import { lostActivityOf } from '../calls/activity-failures';
import { lookUpLostCreate } from '../calls/activity-proxies';

/** Before it, every create whose worker was lost counted as one that may have been sent. */
const CREATE_LOOKED_UP = 'lost-create-looked-up';

/**
 * Why a create was not sent that was lost with its worker; `undefined` where it may have been. A worker puts on record, in an
 * acknowledged heartbeat, that it is about to send. One of an earlier version does not, so who took the create is looked up.
 */
export async function lostUnsent(error: unknown): Promise<CallFailure | undefined> {
  const lost = lostActivityOf(error);
  if (lost === undefined || lost.lastDetails !== undefined || !patched(CREATE_LOOKED_UP)) return undefined;
  const { activityId } = lost;
  try {
    // A cancel that comes meanwhile does not make the answer less needed.
    const look = () =>
      lookUpLostCreate.executeWithOptions({ summary: 'look up a lost create request' }, [{ activityId }]);
    const { writesAhead } = await CancellationScope.nonCancellable(look);
    return writesAhead ? neverSent() : undefined;
  } catch {
    return undefined;
  }
}

function neverSent(): CallFailure {
  const code = 'WORKER_UNAVAILABLE';
  return {
    code,
    message: withRemedy(code, 'The worker was lost before it sent the create request.'),
  };
}
