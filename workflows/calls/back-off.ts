/** How long to wait before a call is made again. Pure. */
import { jittered } from '../../src/protocol/input/cadence';

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** The wait before a failed call is repeated: doubled up to five minutes, jittered, `Retry-After` obeyed. */
export function backoffMs(attempt: number, random: number, retryAfterMs = 0): number {
  const doubled = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(attempt - 1, 20), LONGEST_BACKOFF_MS);
  return Math.max(jittered(doubled, random), retryAfterMs);
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
