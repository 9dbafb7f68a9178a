import type { CancelOutcome } from '../../src/protocol/state/recorded';
import { settleDecisions } from './decisions';
import type { SessionRecord } from './session-record';

/** The outcome of a cancel follows from the session's state: what the service said last is the truth. */
export function settleCancel(record: SessionRecord): SessionRecord {
  if (record.cancel === undefined) return record;
  const outcome = outcomeOf(record);
  const settled = { ...record, cancel: { ...record.cancel, outcome } };
  return settleDecisions(settled, 'cancel', { result: outcome });
}

function outcomeOf(record: SessionRecord): CancelOutcome {
  if (record.sessionId === undefined) return record.possibleOrphans > 0 ? 'possiblyCreated' : 'neverCreated';
  switch (record.status) {
    case 'Completed':
      return 'lostToCompletion';
    case 'Failed':
      return 'lostToFailure';
    case 'Expired':
      return 'lostToExpiry';
    default:
      return 'cancelled';
  }
}
