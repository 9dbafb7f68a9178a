import { told, type SessionEvidence, type Violation } from './evidence';

/**
 * Invariant (b): a cancellation that the Temporal server has accepted is not lost. It reaches the service, comes before the create request,
 * or is recorded as too late.
 */
export function checkCancels(evidence: SessionEvidence): Violation[] {
  const { key: where, creations, acts, endedAtMs } = evidence;
  const known = told(evidence);
  if (known === undefined) return [];
  const violation = (what: string): Violation => ({ invariant: 'b', where, what });
  const { cancel } = known;
  const followed = creations.find(({ sessionId }) => sessionId === known.sessionId);
  // A cancellation after this time may reach a workflow that has already ended, so it does not count.
  const openUntilMs = followed?.overAtMs ?? endedAtMs;
  const lost = acts.filter(({ isCancel, doneMs }) => isCancel && doneMs < openUntilMs).length;
  if (lost > 0 && cancel === undefined && known.failed === undefined)
    return [violation(`${lost} cancels were taken, none is recorded`)];
  if (cancel === undefined || known.failed !== undefined) return [];
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
