import { told, type SessionEvidence, type Violation } from './evidence';

/** The answer to a second start of an ended session's key. */
export interface SecondStart {
  /** True if a new session began. */
  readonly isBegun: boolean;
  /** The error code of the answer. */
  readonly error?: string;
}

/** Invariant (m): a key can be used again exactly if its session certainly never existed. */
export function checkReuse(evidence: SessionEvidence, { isBegun, error }: SecondStart): Violation[] {
  const isFree = isNeverCreated(evidence);
  if (isFree === isBegun) return [];
  const what = isFree
    ? `never created, and cannot be used again: ${error ?? 'attached'}`
    : 'used again, although its session may exist';
  return [{ invariant: 'm', where: evidence.key, what }];
}

/**
 * True if no create request was sent or the service has refused all of them. The session's record and the service's data must both say so.
 */
export function isNeverCreated(evidence: Omit<SessionEvidence, 'histories'>): boolean {
  const known = told(evidence);
  if (known === undefined || known.sessionId !== undefined) return false;
  const isOver = known.failed !== undefined || known.cancel?.outcome === 'neverCreated';
  const isClaimed = known.anomalies.some(({ kind }) => kind === 'possibleOrphan');
  const mayExist = evidence.creations.length > 0 || evidence.resets > 0 || known.decisions.length > 0;
  return isOver && !isClaimed && !mayExist;
}
