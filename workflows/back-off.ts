/** Waits before a call is repeated. Pure. */
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
 * Returns the wait before a key is claimed again after the ledger was away. It doubles up to half a minute, so that
 * sessions continue soon after the ledger is back. Random jitter spreads thousands of waiting sessions over the
 * second half of the wait. An hour of such waits adds 1,800 events to a history, less than half of the number at
 * which the Temporal server suggests to continue as new. A replay does not compare the lengths of waits.
 */
export function claimBackoffMs(attempt: number, random: number): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_FOR_LEDGER_MS);
  return Math.round(doubled * (0.5 + random / 2));
}

/**
 * The number of creates in a row that workers give back before waiting callers get an error. If one of two workers
 * has the credentials, it gets the create before that in all but one of 256 cases.
 */
export const TOLD_AFTER = 8;
/** The wait for the next worker until then. */
const SOON_MS = 500;

/** Returns the wait after workers gave a call back `times` times in a row. The next worker may have the credentials. */
export const givenBackMs = (times: number, random: number): number =>
  times < TOLD_AFTER ? jittered(SOON_MS, random) : backoffMs(times - TOLD_AFTER + 1, random);

/**
 * Returns the time for which the service asks not to be called, in milliseconds. A worker without the account's
 * credentials asks for a wait of its own, which does not bind other workers.
 */
export const askedMs = ({ code, retryAfterMs = 0 }: Partial<CallFailure>): number =>
  isGivenBack(code) ? 0 : retryAfterMs;
