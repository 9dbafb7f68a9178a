import type { SessionEvidence, Violation } from './evidence';

/** Invariant (e): a session ends soon after the last fault. A session that was parked has been in the list of parked sessions. */
export function checkSettling({
  key: where,
  ending,
  endedAtMs,
  quietSinceMs,
  settlesWithinMs,
  wasParked,
  wasFound,
}: SessionEvidence): Violation[] {
  const violation = (what: string): Violation => ({ invariant: 'e', where, what });
  const tookMs = endedAtMs - quietSinceMs;
  if (ending === undefined) return [violation(`stuck ${tookMs} ms after the last fault`)];
  return [
    ...(tookMs > settlesWithinMs ? [violation(`took ${tookMs} ms after the last fault`)] : []),
    ...(wasParked && !wasFound ? [violation('parked, and no list of parked sessions shows it')] : []),
  ];
}
