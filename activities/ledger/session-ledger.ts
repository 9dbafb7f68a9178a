import type { ClaimOf, LedgerClaimAnswer, LedgerFact } from '../../src/protocol/ledger/facts';
import type { CreateSessionInput, KeyClaim } from '../../src/protocol/activities';

/** What activities need of the ledger. */
export interface SessionLedger {
  /**
   * Claims a session's key for ever. Throws `PaysessionError` while it cannot: then nothing is sent. `at` is ISO 8601, UTC.
   */
  claim(
    claim: KeyClaim & Pick<CreateSessionInput, 'account' | 'request'> & { readonly at: string },
  ): Promise<LedgerClaimAnswer>;
  /** Records facts of a workflow's claim, once each. Never rejects, and gives up soon: what is not recorded now is recorded later. */
  record(claim: ClaimOf, facts: readonly LedgerFact[]): Promise<void>;
  /**
   * Records that a person has named a session for a workflow's claim. Gives the key of another claim that has the session: then nothing is
   * recorded. Throws `PaysessionError` while it cannot.
   */
  adopt(
    claim: ClaimOf,
    adopted: { readonly sessionId: string; readonly at: string },
  ): Promise<string | undefined>;
  /** The key whose session of the payment service this is; `undefined` if the ledger knows none. Throws `PaysessionError`. */
  followerOf(sessionId: string): Promise<string | undefined>;
}
