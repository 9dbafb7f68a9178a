/** How long to wait before a call is made again. Pure. */
import type { CallFailure } from '../src/errors/failures';
import { jittered } from '../src/protocol/cadence';
import { isGivenBack } from '../src/protocol/activities';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** The wait before a failed call is repeated: doubled up to five minutes, jittered, `Retry-After` obeyed. */
export function backoffMs(attempt: number, random: number, retryAfterMs = 0): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_BACKOFF_MS);
  return Math.max(jittered(doubled, random), retryAfterMs);
}

const LONGEST_FOR_LEDGER_MS = 30_000;

/**
 * The wait before a key is claimed again on a ledger that was away: doubled up to half a minute, since sessions shall go on soon after it is
 * back. They come at random within the second half of it, for thousands may have waited. An hour of that is 1,800 events of a history, less
 * than half of those at which the engine suggests to continue as new. A replay does not compare how long a wait is.
 */
export function claimBackoffMs(attempt: number, random: number): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_FOR_LEDGER_MS);
  return Math.round(doubled * (0.5 + random / 2));
}

/**
 * So many creates in a row are given back before those who wait for the session are told. Of two workers with one that has the
 * credentials, it gets the create before that in all but one of 256 cases.
 */
export const TOLD_AFTER = 8;
/** Until then the next worker is asked soon. */
const SOON_MS = 500;

/** How long to wait after a call was given back so many times in a row: the next worker may have the credentials. */
export const givenBackMs = (times: number, random: number): number =>
  times < TOLD_AFTER ? jittered(SOON_MS, random) : backoffMs(times - TOLD_AFTER + 1, random);

/**
 * How long the service asks not to be called, in milliseconds. A worker without the account's credentials asks for a wait of its own,
 * which another worker need not keep.
 */
export const askedMs = ({ code, retryAfterMs = 0 }: Partial<CallFailure>): number =>
  isGivenBack(code) ? 0 : retryAfterMs;
