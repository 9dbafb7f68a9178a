import { told, type SessionEvidence, type Violation } from './evidence';

/** What came of starting the key of a session that is over once more. */
export interface SecondStart {
  /** Whether a session began anew. */
  readonly isBegun: boolean;
  /** The error code of the answer. */
  readonly error?: string;
}

/** (m) A key can be used again where its session certainly never came to exist, and nowhere else. */
export function checkReuse(evidence: SessionEvidence, { isBegun, error }: SecondStart): Violation[] {
  const isFree = isNeverCreated(evidence);
  if (isFree === isBegun) return [];
  const what = isFree
    ? `never created, and cannot be used again: ${error ?? 'attached'}`
    : 'used again, although its session may exist';
  return [{ invariant: 'm', where: evidence.key, what }];
}

/** Whether nothing was sent, or the service has refused all that was: by what the record claims, and by what the service has. */
export function isNeverCreated(evidence: Omit<SessionEvidence, 'histories'>): boolean {
  const known = told(evidence);
  if (known === undefined || known.sessionId !== undefined) return false;
  const isOver = known.failed !== undefined || known.cancel?.outcome === 'neverCreated';
  const isClaimed = known.anomalies.some(({ kind }) => kind === 'possibleOrphan');
  const mayExist = evidence.creations.length > 0 || evidence.resets > 0 || known.decisions.length > 0;
  return isOver && !isClaimed && !mayExist;
}
