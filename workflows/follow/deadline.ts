/**
 * The deadline of an open session, and its effect. The clock alone ends no session: the payor may have paid just before the
 * deadline. So a deadline takes effect only after a poll that began after the deadline has succeeded, or after polls have
 * failed for the policy's `unverifiedAfter`.
 */
import type { SessionRecord } from '../record/session-record';
import type { Session } from '../session';
import { awaitsSignature } from '../../src/contract/statuses';
import type { ResolvedPolicy } from '../../src/protocol/policy';

interface Deadline {
  readonly atMs: number;
  /**
   * The effect: the session ends unsigned, the session ends although it is unclear whether it is paid, or the session is
   * cancelled at the service.
   */
  readonly end: 'unsigned' | 'unclear' | 'cancel';
}

/** The facts that decide, together with the record, whether a deadline takes effect. Times are epoch milliseconds. */
export interface LastPolls {
  readonly nowMs: number;
  /** The time of the last failed poll. 0 if no poll of this run has failed, or if a later poll has succeeded. */
  readonly failedAtMs: number;
}

/** The part of a session that the deadline needs. */
type Endable = Pick<Session, 'record' | 'policy' | 'requestCancel' | 'apply'>;

/**
 * If it is unclear whether a `Completed` session is paid, the session is polled for at least this time, because its code may
 * come late.
 */
const UNCLEAR_FOR_MS = 60_000;

/**
 * Returns the deadline that currently applies to a session. Once the bank account has been validated, the signature deadline
 * applies, because only the signature is missing. It applies even if a later report contradicts the validation. A session
 * that is or was `Completed` is never cancelled.
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
  // The second bound limits the postponement, because the service may change its report again and again.
  const clearByMs = Math.min(changedAtMs + UNCLEAR_FOR_MS, atMs + policy.unverifiedAfterMs);
  return { atMs: Math.max(atMs, clearByMs), end: 'unclear' };
}

/** Applies the deadline if it takes effect now (see the head of this file). Returns true if the deadline was applied. */
export function passDeadline(session: Endable, { nowMs, failedAtMs }: LastPolls): boolean {
  const { record, policy } = session;
  const { atMs, end } = deadlineOf(record, policy);
  const isLookedAt = record.lookedAtMs >= atMs;
  const isPostponed = !isLookedAt && failedAtMs < atMs + policy.unverifiedAfterMs;
  if (nowMs < atMs || isPostponed) return false;
  // The service's answer to the cancel says whether the cancel came too late.
  if (end === 'cancel') session.requestCancel('deadline');
  else if (!isLookedAt) session.apply({ type: 'endedUnverified' });
  else session.apply({ type: end === 'unsigned' ? 'signatureDeadlinePassed' : 'unclearDeadlinePassed' });
  return true;
}
