/** Sessions that the Temporal server has dropped: what the ledger knows of them. */
import { isPaysessionError, PaysessionError, SessionNotFoundError, withRemedy } from '../errors';
import type { LedgerEntry } from '../protocol/ledger/facts';
import { recordedSession, type RecordedSession } from '../protocol/ledger/recorded-session';
import type { SessionResult, SessionState } from '../protocol/state/session';
import { callEngine } from './calls/engine-errors';
import { SessionFailedError } from './session-errors';

/** The ledger as it is read: a `PaymentLedger` of `paysession/ledger`. */
export interface ReadableLedger {
  /** A session's entries, the first first; empty where the ledger does not know the key. */
  entriesOf(key: string): Promise<readonly LedgerEntry[]>;
}

/** Which session is asked for, and the ledger to ask where there is one. */
export interface LedgerPlaceOf {
  readonly key: string;
  readonly ledger: ReadableLedger | undefined;
}
