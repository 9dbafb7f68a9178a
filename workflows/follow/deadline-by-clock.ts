/**
 * When 0.1.0 gave a session up, by the clock alone: its recorded histories replay by this. What a session does now is in
 * `deadline.ts`.
 */
import { isUnclear } from '../../src/contract/paid';
import type { StateHistoryEntry } from '../../src/protocol/state/recorded';
import type { Session } from '../session';
import type { DeadlineEnd } from '../record/session-record';

const LONGEST_PUT_OFF_MS = 60 * 60_000;

/** What the deadline made of a session; `undefined` before it. */
export function endByClock(session: Session, nowMs: number, failures: number): DeadlineEnd | undefined {
  if (nowMs < deadlineByClock(session, failures)) return undefined;
  const { record } = session;
  if (validatedEntry(session) !== undefined) return 'unsigned';
  return isUnclear(record.kind, record) ? 'unclear' : 'cancel';
}

/** In epoch milliseconds; put off for an hour while polls of a completed session fail. */
export function deadlineByClock(session: Session, failures: number): number {
  const { record, policy, deadlineAtMs } = session;
  const validated = validatedEntry(session);
  const isCompleted = validated !== undefined || isUnclear(record.kind, record);
  const atMs =
    validated === undefined
      ? deadlineAtMs
      : Date.parse(validated.firstSeenAt) + policy.padSignatureDeadlineMs;
  return isCompleted && failures > 0 ? atMs + LONGEST_PUT_OFF_MS : atMs;
}

/** The first state in which the session awaited the signature, if it does so now, whatever its kind. */
function validatedEntry({ record }: Session): StateHistoryEntry | undefined {
  const isValidated = ({ status, code }: { readonly status?: string; readonly code?: string }) =>
    status === 'Completed' && code === 'EFT0302';
  return isValidated(record) ? record.stateHistory.find(isValidated) : undefined;
}
