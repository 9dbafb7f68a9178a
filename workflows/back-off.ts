/** The lengths of the waits before a call is repeated. Pure. */
import type { CallFailure } from '../src/errors/failures';
import { jittered } from '../src/protocol/cadence';
import { isGivenBack } from '../src/protocol/activities';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** Returns the wait before a failed call is repeated: doubled up to five minutes, jittered, `Retry-After` obeyed. */
export function backoffMs(attempt: number, random: number, retryAfterMs = 0): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_BACKOFF_MS);
  return Math.max(jittered(doubled, random), retryAfterMs);
}

const LONGEST_FOR_LEDGER_MS = 30_000;

/**
 * Returns the wait before a key is claimed again after a claim failed. It doubles up to half a minute, so that
 * sessions continue soon after the ledger is back. Random jitter spreads thousands of waiting sessions over the
 * second half of the wait. An hour of such waits adds 1,800 events to a history, less than half of the number at
 * which the Temporal server suggests continuing as new. The wait may be random: a replay does not compare its length.
 */
export function claimBackoffMs(attempt: number, random: number): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_FOR_LEDGER_MS);
  return Math.round(doubled * (0.5 + random / 2));
}

/**
 * The number of times that workers release a call unsent before waiting callers get an error. If one of two workers has
 * the credentials, it gets the call before that in all but one of 256 cases.
 */
export const TOLD_AFTER = 8;
/** The wait after a release, until `TOLD_AFTER` is reached: the next worker may have the credentials. */
const SOON_MS = 500;

/** Returns the wait after workers have released a call `times` times in a row. */
export const givenBackMs = (times: number, random: number): number =>
  times < TOLD_AFTER ? jittered(SOON_MS, random) : backoffMs(times - TOLD_AFTER + 1, random);

/**
 * Returns the shortest wait that a failure asks for, in milliseconds. A worker without the account's credentials may
 * ask for one, too. That wait does not bind other workers, so it counts as 0.
 */
export const askedMs = ({ code, retryAfterMs = 0 }: Partial<CallFailure>): number =>
  isGivenBack(code) ? 0 : retryAfterMs;
