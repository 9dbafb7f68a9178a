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

/** The outcome of a create whose worker was lost: the create was not sent, or the ledger has the key's session or its end. */
export type FoundLost = KnownOnLedger | { readonly outcome: 'lostUnsent'; readonly failure: CallFailure };

/**
 * Returns the outcome of a create whose worker was lost, or `undefined` if the outcome is unknown. A worker records in an
 * acknowledged heartbeat that it is about to send the create. Without that record, nothing was sent. A worker with a ledger
 * may have recorded the answer in the ledger.
 */
export async function lookUpLost(session: Session, error: unknown): Promise<FoundLost | undefined> {
  const lost = lostActivityOf(error);
  if (lost === undefined) return undefined;
  if (lost.lastDetails === undefined) return { outcome: 'lostUnsent', failure: NEVER_SENT };
  if (lost.lastDetails !== ABOUT_TO_SEND_ON_LEDGER) return undefined;
  session.apply({ type: 'claimed' });
  return knownOnLedger(session);
}

/** The ledger's answers that settle a create whose outcome the workflow does not know. */
type KnownOnLedger = Extract<EndedCreate, { outcome: 'created' | 'recorded' | 'failedBefore' }>;

/**
 * Returns the session that was created according to the ledger, or the end that the ledger has for the key. Returns
 * `undefined` if the ledger has neither, or does not answer.
 */
export async function knownOnLedger(session: Session): Promise<KnownOnLedger | undefined> {
  try {
    const known = await askLedger(session);
    return known !== undefined && isKnown(known) ? known : undefined;
  } catch (error) {
    // The ledger may have claimed the key although no answer came.
    if (isOfLedger(callFailureOf(error).code)) session.apply({ type: 'claimed' });
    return undefined;
  }
}

const isKnown = (known: EndedCreate): known is KnownOnLedger =>
  known.outcome === 'created' || known.outcome === 'recorded' || known.outcome === 'failedBefore';

export const isOfLedger = (code: ErrorCode): boolean => code.startsWith('LEDGER_');

/**
 * Claims the session's key in the ledger, and returns the ledger's record of it. Returns `undefined` if there is no
 * record, or no ledger. Throws the activity's failure, for instance if the ledger does not answer.
 */
export async function askLedger(
  session: Session,
  scheduleToCloseTimeout?: '30s',
): Promise<EndedCreate | undefined> {
  const { account } = session;
  const { request } = session.input;
  const isClaimed = session.record.onLedger === true && ({ isClaimed: true } as const);
  const input = { account, request, claim: session.keyClaim(), ...isClaimed };
  // The answer is also needed if a cancel comes meanwhile.
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
 * With this many possible orphans, a person decides about the next create with an unknown outcome. Each such create may
 * have left a session at the service.
 */
const MAX_POSSIBLE_ORPHANS = 3;

/** A create with an unknown outcome: the failure, and the session that the answer names despite it. */
interface UnknownCreate {
  readonly failure: CallFailure;
  readonly sessionId?: string | undefined;
  /** True if a reset may have undone the create. Its answer may have come, so the payor may have the session's link. */
  readonly isUndone?: boolean;
}

/** True if a complete but unusable answer names a session: the next create would get the same, and leave another session. */
const wouldRecur = ({ failure, sessionId }: UnknownCreate): boolean =>
  sessionId !== undefined &&
  (failure.code === 'SERVICE_WRONG_SESSION' || failure.code === 'SERVICE_UNREADABLE');

/** Records a possible orphan if the create may be sent again. Otherwise parks the session. */
export function recordUnknown(session: Session, unknown: UnknownCreate): void {
  const { failure, sessionId, isUndone = false } = unknown;
  const { possibleOrphans } = session.record;
  const mayRepeat = session.policy.onUnknownCreate === 'retry' && possibleOrphans < MAX_POSSIBLE_ORPHANS;
  // Only a person can find out whether the payor has paid by the link of a create that was undone.
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
