import { told, type SessionEvidence, type Violation } from './evidence';
import { isPaidAtService, text } from './states';

/**
 * Invariant (j): if the session that the workflow follows is paid, the workflow reports it as paid, even after a long time without a
 * worker. Only after a week without a successful poll may a session end unverified, and no campaign lasts that long.
 */
export function checkPaid(evidence: SessionEvidence): Violation[] {
  const { key: where, creations, plan } = evidence;
  const known = told(evidence);
  if (known === undefined) return [];
  const violation = (what: string): Violation => ({ invariant: 'j', where, what });
  if (known.unverified) return [violation('given up as never verified, long before its time')];
  const followed = creations.find(({ sessionId }) => sessionId === known.sessionId);
  if (followed === undefined || !isPaidAtService(plan, followed) || known.paid) return [];
  const how = known.failed ?? text(known.stateHistory.slice(-1));
  return [violation(`truly ${text(followed.truth)}, and reported as ${how}`)];
}

/** Invariant (k): no two keys report one session of the service as paid. */
export function checkPaidOnce(episode: readonly SessionEvidence[]): Violation[] {
  const keys = new Map<string, string[]>();
  for (const evidence of episode) {
    const { sessionId, paid } = told(evidence) ?? {};
    if (sessionId !== undefined && paid) keys.set(sessionId, [...(keys.get(sessionId) ?? []), evidence.key]);
  }
  return [...keys.values()]
    .filter(({ length }) => length > 1)
    .map((paid) => ({
      invariant: 'k',
      where: paid[0] ?? '',
      what: `one payment is reported by ${paid.join(', ')}`,
    }));
}
