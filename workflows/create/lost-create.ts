import { CancellationScope, patched } from '@temporalio/workflow';
import { withRemedy } from '../../src/errors/explain';
import type { CallFailure } from '../../src/errors/failures';
import type { LostCreate, LostCreateInput, SentCreate } from '../../src/protocol/activities/activities';
import { ABOUT_TO_SEND_ON_LEDGER } from '../../src/protocol/names';
import { lostActivityOf } from '../calls/activity-failures';
import { lookUpLostCreate } from '../calls/activity-proxies';
import type { Session } from '../session';

/** Before it, every create whose worker was lost counted as one that may have been sent. */
const CREATE_LOOKED_UP = 'lost-create-looked-up';
/** Before it, the ledger was not asked; a worker of that version may have run the workflow beside one that has a ledger. */
const LOST_ON_LEDGER = 'lost-create-on-ledger';

/** What became of a create that was lost with its worker, where that is known: it was not sent, or the ledger has its answer. */
export type FoundLost = SentCreate | { readonly outcome: 'lostUnsent'; readonly failure: CallFailure };

/**
 * Looks up a create that was lost with its worker; gives `undefined` where it may have been sent, and nobody has its answer. A worker
 * puts on record, in an acknowledged heartbeat, that it is about to send. One of an earlier version does not, so who took the create is
 * looked up. One with a ledger may have recorded the answer there.
 */
export async function lookUpLost(session: Session, error: unknown): Promise<FoundLost | undefined> {
  const lost = lostActivityOf(error);
  if (lost === undefined) return undefined;
  const { activityId, lastDetails } = lost;
  if (lastDetails === ABOUT_TO_SEND_ON_LEDGER) {
    if (!patched(LOST_ON_LEDGER)) return undefined;
    session.apply({ type: 'claimed' });
    return lookUpOnLedger(session, { activityId });
  }
  if (lastDetails !== undefined || !patched(CREATE_LOOKED_UP)) return undefined;
  const answer = await lookUp({ activityId });
  return answer?.writesAhead === true ? { outcome: 'lostUnsent', failure: neverSent() } : undefined;
}

/** Before it, a run that was reset did not ask. */
const RESET_LOOKED_UP = 'reset-looked-up';

/** What the ledger knows of a create that a run has forgotten, since it was reset; `undefined` where there is none, or no ledger. */
export async function lookUpForgotten(session: Session): Promise<SentCreate | undefined> {
  return patched(RESET_LOOKED_UP) ? lookUpOnLedger(session) : undefined;
}

async function lookUpOnLedger(
  session: Session,
  lost: Pick<LostCreateInput, 'activityId'> = {},
): Promise<SentCreate | undefined> {
  const { account } = session;
  const { request } = session.input;
  const isClaimed = session.record.onLedger === true && ({ isClaimed: true } as const);
  const answer = await lookUp({ ...lost, ...isClaimed, claim: { ...session.keyClaim(), account, request } });
  if (answer?.created !== undefined || answer?.onLedger) session.apply({ type: 'claimed' });
  if (answer?.created === undefined) return undefined;
  return { outcome: 'created', referenceId: request.referenceId ?? null, ...answer.created };
}

async function lookUp(input: LostCreateInput): Promise<LostCreate | undefined> {
  try {
    // A cancel that comes meanwhile does not make the answer less needed.
    const look = () =>
      lookUpLostCreate.executeWithOptions({ summary: 'look up a lost create request' }, [input]);
    return await CancellationScope.nonCancellable(look);
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
