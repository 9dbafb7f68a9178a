import { told, type SessionEvidence, type Violation } from './evidence';
import { isClear } from './orphans';

/**
 * Invariant (a): a key gets a second session only after an operator's decision, or after a create request with an unclear outcome if the
 * policy says so. Every session that the service made is followed by its workflow or recorded as a possible orphan. Only a create with an
 * unclear outcome is recorded as a possible orphan.
 */
export function checkCreates(evidence: SessionEvidence): Violation[] {
  const { key: where, plan, acts, creations, exchanges, strikesWhileCreating, resets } = evidence;
  const known = told(evidence);
  if (known === undefined) return [];
  const violation = (what: string): Violation => ({ invariant: 'a', where, what });
  const recorded = known.anomalies.filter(({ kind }) => kind === 'possibleOrphan').length;
  const own = creations.filter(({ isNamed }) => !isNamed);
  const left = own.filter(({ sessionId }) => sessionId !== known.sessionId).length;
  // The operator has named another key's session by mistake. The session that this key's create made is then left.
  const misnamed = creations.some(({ sessionId, isNamed }) => isNamed && sessionId === known.sessionId)
    ? 1
    : 0;
  const creates = exchanges.filter(({ call }) => call === 'create');
  const unclear = creates.filter((create) => !isClear(create) || create.isLate).length;
  const decisions = acts.filter(({ act }) => act === 'decision').length;
  const repeats = plan.onUnknownCreate === 'retry' ? unclear + strikesWhileCreating : 0;
  const isUndecided = own.length > 1 + repeats + decisions;
  const isFollowed =
    known.sessionId === undefined || creations.some(({ sessionId }) => sessionId === known.sessionId);
  return [
    ...(resets === 0 && left > recorded + misnamed
      ? [violation(`${left} sessions were left at the service, ${recorded} recorded`)]
      : []),
    ...(recorded > unclear + strikesWhileCreating + resets
      ? [violation(`${recorded} possible orphans recorded, ${unclear} creates were unclear`)]
      : []),
    ...(isUndecided ? [violation(`${own.length} sessions were made, after ${decisions} decisions`)] : []),
    ...(isFollowed
      ? []
      : [violation(`follows ${String(known.sessionId)}, which the service did not make for it`)]),
    ...(known.cancel?.outcome === 'neverCreated' && own.length > 0
      ? [violation('its cancel reports neverCreated, and the service made a session')]
      : []),
  ];
}
