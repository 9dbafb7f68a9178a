import { CancellationScope } from '@temporalio/workflow';
import { withRemedy } from '../../src/errors/explain';
import type { CallFailure } from '../../src/errors/failures';
import type { LookedUpCreate, SentCreate } from '../../src/protocol/activities/activities';
import { ABOUT_TO_SEND_ON_LEDGER } from '../../src/protocol/names';
import { lostActivityOf } from '../calls/activity-failures';
import { lookUpCreate } from '../calls/activity-proxies';
import type { Session } from '../session';

/** The outcome of a create whose worker was lost: it was not sent, or the ledger has its answer. */
export type FoundLost = SentCreate | { readonly outcome: 'lostUnsent'; readonly failure: CallFailure };

/**
 * Returns the outcome of a create whose worker was lost, or `undefined` if it may have been sent and its answer is not known. A worker
 * records in an acknowledged heartbeat that it is about to send: without that record, nothing was sent. A worker with a ledger may have
 * recorded the answer there.
 */
export async function lookUpLost(session: Session, error: unknown): Promise<FoundLost | undefined> {
  const lost = lostActivityOf(error);
  if (lost === undefined) return undefined;
  if (lost.lastDetails === undefined) return { outcome: 'lostUnsent', failure: neverSent() };
  if (lost.lastDetails !== ABOUT_TO_SEND_ON_LEDGER) return undefined;
  session.apply({ type: 'claimed' });
  return lookUpOnLedger(session);
}

/**
 * Returns what the ledger knows of the session's create, or `undefined` if it knows nothing or the worker has no ledger. A run that was
 * reset does not remember its create.
 */
export async function lookUpOnLedger(session: Session): Promise<SentCreate | undefined> {
  const { account } = session;
  const { request } = session.input;
  const isClaimed = session.record.onLedger === true && ({ isClaimed: true } as const);
  const answer = await lookUp({ account, request, claim: session.keyClaim(), ...isClaimed });
  if (answer?.onLedger === true) session.apply({ type: 'claimed' });
  if (answer?.created === undefined) return undefined;
  return { outcome: 'created', referenceId: request.referenceId ?? null, ...answer.created };
}

async function lookUp(input: Parameters<typeof lookUpCreate>[0]): Promise<LookedUpCreate | undefined> {
  try {
    // A cancel that comes meanwhile does not make the answer less needed.
    const look = () =>
      lookUpCreate.executeWithOptions({ summary: 'look up the create request in the ledger' }, [input]);
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
