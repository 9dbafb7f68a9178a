import type { LedgerClaimAnswer, LedgerFact } from '../../src/protocol/ledger/facts';
import type { CreateSessionInput, KeyClaim } from '../../src/protocol/activities/activities';

/** What activities need of the ledger. */
export interface SessionLedger {
  /**
   * Claims a session's key for ever. Throws `PaysessionError` while it cannot: then nothing is sent. `at` is ISO 8601, UTC.
   */
  claim(
    claim: KeyClaim & Pick<CreateSessionInput, 'account' | 'request'> & { readonly at: string },
  ): Promise<LedgerClaimAnswer>;
  /** Records facts, once each. Never rejects, and gives up soon: what is not recorded now is recorded later. */
  record(key: string, facts: readonly LedgerFact[]): Promise<void>;
}
