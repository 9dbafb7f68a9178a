/**
 * The deadline of an open session, and its effect. The service decides, not the clock: a deadline ends or cancels a
 * session only after a later poll has succeeded, or after polls have failed for the policy's `unverifiedAfter`.
 */
import type { SessionRecord } from '../record/session-record';
import type { Session } from '../session';
import { awaitsSignature } from '../../src/contract/statuses';
import type { ResolvedPolicy } from '../../src/protocol/policy';

interface Deadline {
  readonly atMs: number;
  /** The effect: the session ends unsigned, ends although it is unclear if it is paid, or is cancelled at the service. */
  readonly end: 'unsigned' | 'unclear' | 'cancel';
}

/** The facts that decide, together with the record, if a deadline takes effect. Times are epoch milliseconds. */
export interface Looks {
  readonly nowMs: number;
  /** The time of the last failed poll; 0 if this run has had none, or if a later poll has succeeded. */
  readonly failedAtMs: number;
}

/** The part of a session that a deadline reads and ends. */
type Endable = Pick<Session, 'record' | 'policy' | 'requestCancel' | 'apply'>;

/** The time for which a `Completed` session is polled at least if it is unclear whether it is paid: its code may come late. */
const UNCLEAR_FOR_MS = 60_000;

/**
 * Returns the deadline that applies to a session now. Once the bank account has been validated, the signature deadline
 * applies, despite any unusual later report: the payor has done everything else. A session that is or was `Completed` is not
 * cancelled.
 */
export function deadlineOf(
  record: SessionRecord,
  policy: Pick<ResolvedPolicy, 'deadlineMs' | 'padSignatureDeadlineMs' | 'unverifiedAfterMs'>,
): Deadline {
  const { validatedAtMs, deadlineFromMs, changedAtMs, furthest } = record;
  const atMs =
    validatedAtMs === undefined
      ? deadlineFromMs + policy.deadlineMs
      : validatedAtMs + policy.padSignatureDeadlineMs;
  if (awaitsSignature(record)) return { atMs, end: 'unsigned' };
  if (furthest === 0) return { atMs, end: 'cancel' };
  // The second bound: a service that changes its report again and again does not postpone the end for ever.
  const clearByMs = Math.min(changedAtMs + UNCLEAR_FOR_MS, atMs + policy.unverifiedAfterMs);
  return { atMs: Math.max(atMs, clearByMs), end: 'unclear' };
}

/**
 * Applies the deadline if it has passed, and if a later poll has succeeded or polls have failed for the policy's
 * `unverifiedAfter`. Returns true if the deadline was applied.
 */
export function passDeadline(session: Endable, { nowMs, failedAtMs }: Looks): boolean {
  const { record, policy } = session;
  const { atMs, end } = deadlineOf(record, policy);
  const isLookedAt = record.lookedAtMs >= atMs;
  const isPostponed = !isLookedAt && failedAtMs < atMs + policy.unverifiedAfterMs;
  if (nowMs < atMs || isPostponed) return false;
  // The answer to the cancel says if the cancel is too late.
  if (end === 'cancel') session.requestCancel('deadline');
  else if (!isLookedAt) session.apply({ type: 'endedUnverified' });
  else session.apply({ type: end === 'unsigned' ? 'signatureDeadlinePassed' : 'unclearDeadlinePassed' });
  return true;
}
