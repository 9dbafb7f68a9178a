import { told, type SessionEvidence, type Violation } from './evidence';
import { isPaidTruly, text } from './states';

/**
 * (j) If the session that the workflow follows was paid, this is reported, however long no worker polled it. A session gives
 * up unverified only after a week, and no campaign lasts that long.
 */
export function checkPaid(evidence: SessionEvidence): Violation[] {
  const { key: where, creations, plan } = evidence;
  const known = told(evidence);
  if (known === undefined) return [];
  const violation = (what: string): Violation => ({ invariant: 'j', where, what });
  if (known.unverified) return [violation('given up as never verified, long before its time')];
  const followed = creations.find(({ sessionId }) => sessionId === known.sessionId);
  if (followed === undefined || !isPaidTruly(plan, followed) || known.paid) return [];
  const how = known.failed ?? text(known.stateHistory.slice(-1));
  return [violation(`truly ${text(followed.truth)}, and reported as ${how}`)];
}

/** (k) No payment counts for two keys. */
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
