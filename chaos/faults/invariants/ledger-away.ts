import type { LedgerSubject } from './ledger';
import type { Violation } from './evidence';

/** When the ledger was unavailable, in milliseconds since 1970. */
export interface LedgerAway {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The longest time between the claim of a key and its create, which may wait for a token and its turn, in milliseconds. */
const SENT_AFTER_CLAIM_MS = 10_000;
/** Longer than a payor needs to end an open session, and the session to see the end, in milliseconds. */
const ENDS_WITHIN_MS = 60_000;

/** Returns the number of a session's creates that were sent while the ledger was unavailable. */
const createsMeanwhile = ({ exchanges }: LedgerSubject, { fromMs, untilMs }: LedgerAway): number =>
  exchanges.filter(
    ({ call, atMs }) => call === 'create' && atMs > fromMs + SENT_AFTER_CLAIM_MS && atMs < untilMs,
  ).length;

/** True if a session was open when the ledger became unavailable. */
export const wasOpen = ({ exchanges, endedAtMs }: LedgerSubject, { fromMs }: LedgerAway): boolean =>
  endedAtMs > fromMs && exchanges.some(({ call, atMs }) => call === 'details' && atMs < fromMs);

/** (t) While the ledger is unavailable, no create is sent, and open sessions end as usual. */
export function checkAway(subject: LedgerSubject, away: LedgerAway): Violation[] {
  const violation = (what: string): Violation => ({ invariant: 't', where: subject.key, what });
  const creates = createsMeanwhile(subject, away);
  const tookMs = subject.endedAtMs - away.fromMs;
  return [
    ...(creates === 0 ? [] : [violation(`${creates} creates were sent while the ledger was away`)]),
    ...(wasOpen(subject, away) && tookMs > ENDS_WITHIN_MS
      ? [violation(`it was open, and ended ${tookMs} ms after the ledger went away`)]
      : []),
  ];
}
