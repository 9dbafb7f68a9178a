import type { Exchange } from '../service/exchange';
import { told, type CreateAttempt, type SessionEvidence, type Violation } from './evidence';

/**
 * Bounds on the number of possible orphans that must be recorded. A possible orphan is a session that may exist at the service because the
 * answer to its create request never reached the Temporal server.
 */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

const NONE: Bounds = { least: 0, most: 0 };
const ONE: Bounds = { least: 1, most: 1 };
/** A possible orphan may or may not be recorded, because the worker could not know whether its create request had an effect. */
const UNKNOWABLE: Bounds = { least: 0, most: 1 };

/** Invariant (l): a possible orphan is recorded for each create request that may have succeeded without an answer, and for no other. */
export function checkOrphans(evidence: SessionEvidence): Violation[] {
  const { key: where, creations, resets } = evidence;
  const known = told(evidence);
  if (known === undefined) return [];
  const claimed = known.anomalies.filter(({ kind }) => kind === 'possibleOrphan').length;
  const violation = (what: string): Violation => ({ invariant: 'l', where, what });
  // A reset undoes the record, so the record cannot count earlier create requests. But it must report that there is a possible orphan.
  if (resets > 0) {
    const isLeft = creations.some(({ sessionId, isNamed }) => sessionId !== known.sessionId && !isNamed);
    // The operator has named another key's session by mistake. The session that this key's create made is then left.
    const isMisnamed = creations.some(({ sessionId, isNamed }) => isNamed && sessionId === known.sessionId);
    return isLeft && claimed === 0 && !isMisnamed
      ? [violation('a create was repeated after a reset, and no record shows it')]
      : [];
  }
  const isAdopted = known.decisions.some(
    ({ decision, result }) => decision === 'adopt' && result === 'applied',
  );
  const bounds = evidence.attempts.map((attempt, index, all) => {
    const own = createsBetween(evidence, attempt.atMs, all[index + 1]?.atMs ?? Infinity);
    return boundsOf(attempt, own, evidence);
  });
  // By the adoption, the operator has found out the outcome of the last create request.
  const found = isAdopted ? 1 : 0;
  const least = sum(bounds.map((each) => each.least)) - found;
  const most = sum(bounds.map((each) => each.most)) - found;
  const claim = `${claimed} possible orphans claimed`;
  if (claimed < least) return [violation(`${claim}, and ${least} creates had no answer`)];
  if (claimed > most) return [violation(`${claim}, and at most ${most} creates had no answer`)];
  return [];
}

function createsBetween({ exchanges }: SessionEvidence, fromMs: number, toMs: number): readonly Exchange[] {
  return exchanges.filter(({ call, atMs }) => call === 'create' && atMs >= fromMs && atMs < toMs);
}

function boundsOf(
  { outcome, isAboutToSend, isFound }: CreateAttempt,
  creates: readonly Exchange[],
  { strikesWhileCreating }: SessionEvidence,
): Bounds {
  if (isFound) return NONE;
  if (outcome === undefined) {
    if (creates.length > 0) return ONE;
    return isAboutToSend ? UNKNOWABLE : NONE;
  }
  if (!creates.every(isClear)) return ONE;
  // A worker may have missed a complete answer. The worker was frozen, or it stopped waiting because the campaign's process was blocked. Or
  // the connection ended before the call arrived.
  const isMissed = strikesWhileCreating > 0 || creates.length === 0 || creates.some(({ isLate }) => isLate);
  return outcome === 'unknown' && isMissed ? UNKNOWABLE : NONE;
}

/**
 * True if the worker knew the outcome of a create request. It received a complete answer, or a status that proves that no session was made.
 */
export function isClear({ isClean, httpStatus, isProcessed }: Exchange): boolean {
  return isClean || (!isProcessed && (httpStatus === 401 || httpStatus === 429));
}

const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
