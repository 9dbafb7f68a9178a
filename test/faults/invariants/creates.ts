import { told, type SessionEvidence, type Violation } from './evidence';

/** (a) Every session that the service made is followed, or recorded as a possible orphan; none is recorded that can't be. */
export function checkCreates(evidence: SessionEvidence): Violation[] {
  const { reference: where, creations, exchanges, strikesWhileCreating } = evidence;
  const known = told(evidence);
  if (known === undefined) return [];
  const violation = (what: string): Violation => ({ invariant: 'a', where, what });
  const recorded = known.anomalies.filter(({ kind }) => kind === 'possibleOrphan').length;
  const left = creations.filter(({ sessionId }) => sessionId !== known.sessionId).length;
  const unclear = exchanges.filter((exchange) => exchange.call === 'create' && !isClear(exchange)).length;
  const isFollowed =
    known.sessionId === undefined || creations.some(({ sessionId }) => sessionId === known.sessionId);
  return [
    ...(left > recorded
      ? [violation(`${left} sessions were left at the service, ${recorded} recorded`)]
      : []),
    ...(recorded > unclear + strikesWhileCreating
      ? [violation(`${recorded} possible orphans recorded, ${unclear} creates were unclear`)]
      : []),
    ...(isFollowed
      ? []
      : [violation(`follows ${String(known.sessionId)}, which the service did not make for it`)]),
    ...(known.cancel?.outcome === 'neverCreated' && creations.length > 0
      ? [violation('said to have never been created')]
      : []),
  ];
}

/** Whether the worker could tell what became of a create: a whole answer, or one that proves that nothing was made. */
function isClear({ isClean, httpStatus, isProcessed }: SessionEvidence['exchanges'][number]): boolean {
  return isClean || (!isProcessed && (httpStatus === 401 || httpStatus === 429));
}
