import { CancellationScope } from '@temporalio/workflow';
import { defined } from '../../src/contract/values/json';
import type { ErrorCode } from '../../src/errors/codes';
import { type CallFailure, withRemedy } from '../../src/errors/failures';
import type { EndedCreate } from '../../src/protocol/activities';
import { ABOUT_TO_SEND_ON_LEDGER } from '../../src/protocol/names';
import { callFailureOf, lookUpCreate, lostActivityOf } from '../activities';
import { runSeed } from '../per-run';
import type { Session } from '../session';

const NEVER_SENT: CallFailure = {
  code: 'WORKER_UNAVAILABLE',
  message: withRemedy('WORKER_UNAVAILABLE', 'The worker was lost before it sent the create request.'),
};

/**
 * The outcome of a create whose worker was lost, if it could be found: the create was not sent, or the ledger has the
 * outcome.
 */
export type FoundLost = KnownOnLedger | { readonly outcome: 'lostUnsent'; readonly failure: CallFailure };

/**
 * Finds the outcome of a create whose worker was lost. Returns `undefined` if the outcome stays unknown.
 *
 * Before a worker sends a create, it records in a heartbeat that it is about to send the create, and waits until the
 * Temporal server has acknowledged the heartbeat. Without that record, nothing was sent. A worker with a ledger may have
 * recorded the answer in the ledger.
 */
export async function lookUpLost(session: Session, error: unknown): Promise<FoundLost | undefined> {
  const lost = lostActivityOf(error);
  if (lost === undefined) return undefined;
  if (lost.lastDetails === undefined) return { outcome: 'lostUnsent', failure: NEVER_SENT };
  if (lost.lastDetails !== ABOUT_TO_SEND_ON_LEDGER) return undefined;
  session.apply({ type: 'claimed' });
  return knownOnLedger(session);
}

/** The answers of the ledger that show the outcome. */
type KnownOnLedger = Extract<EndedCreate, { outcome: 'created' | 'recorded' | 'failedBefore' }>;

/**
 * Asks the ledger for the key's session or its end. Returns `undefined` if the ledger does not have them, or does not
 * answer.
 */
export async function knownOnLedger(session: Session): Promise<KnownOnLedger | undefined> {
  try {
    const known = await askLedger(session);
    return known !== undefined && isKnown(known) ? known : undefined;
  } catch (error) {
    // The ledger may have claimed the key, although its answer was lost.
    if (isOfLedger(callFailureOf(error).code)) session.apply({ type: 'claimed' });
    return undefined;
  }
}

const isKnown = (known: EndedCreate): known is KnownOnLedger =>
  known.outcome === 'created' || known.outcome === 'recorded' || known.outcome === 'failedBefore';

export const isOfLedger = (code: ErrorCode): boolean => code.startsWith('LEDGER_');

/**
 * Claims the session's key in the ledger, and returns the ledger's record of the key's create requests. Returns `undefined`
 * if there is no such record, or no ledger. Throws the activity's failure, for instance if the ledger does not answer.
 */
export async function askLedger(
  session: Session,
  scheduleToCloseTimeout?: '30s',
): Promise<EndedCreate | undefined> {
  const { account } = session;
  const { request } = session.input;
  const isClaimed = session.record.onLedger === true && ({ isClaimed: true } as const);
  const input = { account, request, claim: session.keyClaim(), ...isClaimed };
  // If a cancel comes meanwhile, the answer is still needed.
  const { known, onLedger } = await CancellationScope.nonCancellable(() =>
    lookUpCreate.executeWithOptions(
      {
        summary: 'look up the create request in the ledger',
        ...(scheduleToCloseTimeout && { scheduleToCloseTimeout }),
      },
      [input],
    ),
  );
  if (onLedger === true) session.apply({ type: 'claimed' });
  return known;
}

/**
 * If a session already has this many possible orphans, the next create with an unknown outcome parks the session. A possible
 * orphan is a session that may exist at the service and that no workflow follows.
 */
const MAX_POSSIBLE_ORPHANS = 3;

/** A create with an unknown outcome: the failure, and the session id in the answer if it had one. */
interface UnknownCreate {
  readonly failure: CallFailure;
  readonly sessionId?: string | undefined;
  /**
   * True if a reset may have undone the create. The create may have succeeded, so the payor may already have the session's
   * link.
   */
  readonly isUndone?: boolean;
}

/**
 * True if the answer named a session but could not be used. The next create would probably get such an answer too, and
 * create another session.
 */
const wouldRecur = ({ failure, sessionId }: UnknownCreate): boolean =>
  sessionId !== undefined &&
  (failure.code === 'SERVICE_WRONG_SESSION' || failure.code === 'SERVICE_UNREADABLE');

/**
 * Applies the policy to a create with an unknown outcome. If the policy allows another create, records a possible orphan.
 * Otherwise, parks the session.
 */
export function recordUnknown(session: Session, unknown: UnknownCreate): void {
  const { failure, sessionId, isUndone = false } = unknown;
  const { possibleOrphans } = session.record;
  const mayRepeat = session.policy.onUnknownCreate === 'retry' && possibleOrphans < MAX_POSSIBLE_ORPHANS;
  // After a reset, the payor may have paid by the link of the undone create. Only a person can find that out.
  if (mayRepeat && !isUndone && !wouldRecur(unknown)) {
    noteOrphan(session, failure.code, sessionId);
  } else {
    const park = { run: runSeed(), ...defined({ sessionId }) };
    session.apply({ type: 'callFailed', failure }, { type: 'createParked', ...park });
  }
}

/** Records that the service may have a session that no workflow follows. */
export function noteOrphan(session: Session, why: string, sessionId?: string): void {
  session.apply({ type: 'possibleOrphan', why, ...defined({ sessionId }) });
}
