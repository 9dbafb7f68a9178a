import type { LedgerSubject } from './ledger';
import type { Violation } from './evidence';

/** The beginning and the end of the ledger's outage, in milliseconds since 1970. */
export interface LedgerAway {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The longest time, in milliseconds, from the claim of a key to its create request. The request may wait for a token and for its turn. */
const SENT_AFTER_CLAIM_MS = 10_000;
/** Long enough, in milliseconds, for a payor to end an open session and for the workflow to see the end. */
const ENDS_WITHIN_MS = 60_000;

/** Returns the number of create requests of a session that were sent during the outage. */
const createsMeanwhile = ({ exchanges }: LedgerSubject, { fromMs, untilMs }: LedgerAway): number =>
  exchanges.filter(
    ({ call, atMs }) => call === 'create' && atMs > fromMs + SENT_AFTER_CLAIM_MS && atMs < untilMs,
  ).length;

/** True if a session was open when the ledger became unavailable. */
export const wasOpen = ({ exchanges, endedAtMs }: LedgerSubject, { fromMs }: LedgerAway): boolean =>
  endedAtMs > fromMs && exchanges.some(({ call, atMs }) => call === 'details' && atMs < fromMs);

/** Invariant (t): while the ledger is down, no create request is sent, and open sessions end as usual. */
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
