import { told, type SessionEvidence, type Violation } from './evidence';

/** (b) A cancel that the engine has taken reaches the service, or comes before the create, or is recorded as too late. */
export function checkCancels(evidence: SessionEvidence): Violation[] {
  const { reference: where, creations, acts, endedAtMs } = evidence;
  const known = told(evidence);
  if (known === undefined) return [];
  const violation = (what: string): Violation => ({ invariant: 'b', where, what });
  const taken = acts.filter(({ isCancel, doneMs }) => isCancel && doneMs < endedAtMs);
  const { cancel } = known;
  if (taken.length > 0 && cancel === undefined && known.failed === undefined) {
    const wasEnded = creations.some(
      ({ sessionId, truth }) => sessionId === known.sessionId && truth.length > 1,
    );
    if (!wasEnded || known.status === 'Cancelled')
      return [violation(`${taken.length} cancels were taken, none is recorded`)];
  }
  if (cancel === undefined || known.failed !== undefined) return [];
  const followed = creations.find(({ sessionId }) => sessionId === known.sessionId);
  const truly = followed?.truth.at(-1)?.status;
  switch (cancel.outcome) {
    case undefined:
      return [violation('the session is over, its cancel is not')];
    case 'cancelled':
      return [
        ...(truly === 'Cancelled' ? [] : [violation(`recorded as cancelled, and truly ${String(truly)}`)]),
        ...(followed?.cancels === 0
          ? [violation('recorded as cancelled, and no cancel reached the service')]
          : []),
      ];
    case 'lostToCompletion':
      return truly === 'Completed'
        ? []
        : [violation(`recorded as lost to a completion, and truly ${String(truly)}`)];
    case 'lostToFailure':
      return truly === 'Failed'
        ? []
        : [violation(`recorded as lost to a failure, and truly ${String(truly)}`)];
    case 'lostToExpiry':
      return truly === 'Expired'
        ? []
        : [violation(`recorded as lost to an expiry, and truly ${String(truly)}`)];
    default:
      return followed === undefined
        ? []
        : [violation(`recorded as ${cancel.outcome}, and the session was followed`)];
  }
}
