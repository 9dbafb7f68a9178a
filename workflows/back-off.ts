/** Computes how long to wait before a failed call is repeated. Pure. */
import type { CallFailure } from '../src/errors/failures';
import { jittered } from '../src/protocol/cadence';
import { isGivenBack } from '../src/protocol/activities';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/**
 * Returns the wait before a failed call is repeated. It doubles with each attempt, up to five minutes, and varies at
 * random. It is at least as long as the service's `Retry-After`.
 */
export function backoffMs(attempt: number, random: number, retryAfterMs = 0): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_BACKOFF_MS);
  return Math.max(jittered(doubled, random), retryAfterMs);
}

const LONGEST_FOR_LEDGER_MS = 30_000;

/**
 * Returns the wait before a failed claim of a key in the ledger is repeated. The wait doubles up to half a minute, so
 * sessions continue soon after the ledger is back. The second half of the wait is random, so thousands of waiting
 * sessions do not claim at once. A replay does not compare the length of a wait, so randomness is safe.
 *
 * An hour of such waits adds 1,800 events to a history. That is less than half of the number at which the Temporal
 * server suggests continuing as new.
 */
export function claimBackoffMs(attempt: number, random: number): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_FOR_LEDGER_MS);
  return Math.round(doubled * (0.5 + random / 2));
}

/**
 * Workers that lack the account's credentials release a call unsent. After this many releases, waiting callers get an
 * error. If one of two workers has the credentials, it receives the call before that in 255 of 256 cases.
 */
export const RELEASES_BEFORE_ERROR = 8;
/**
 * The wait after a release, until `RELEASES_BEFORE_ERROR` is reached. It is short, because the next worker may have the
 * credentials.
 */
const SOON_MS = 500;

/** Returns the wait, in milliseconds, after workers have released a call `times` times in a row. */
export const givenBackMs = (times: number, random: number): number =>
  times < RELEASES_BEFORE_ERROR
    ? jittered(SOON_MS, random)
    : backoffMs(times - RELEASES_BEFORE_ERROR + 1, random);

/**
 * Returns the shortest wait that a failure asks for, in milliseconds. If a worker without the account's credentials
 * asks for a wait, that wait does not apply to other workers, so it counts as 0.
 */
export const askedMs = ({ code, retryAfterMs = 0 }: Partial<CallFailure>): number =>
  isGivenBack(code) ? 0 : retryAfterMs;
