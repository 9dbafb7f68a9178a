import type { LedgerSession } from '../../../ledger';
import type { ClaimSummary } from '../../../ledger/sessions/summary';

/** A summary as lists show it. */
export function asListed(key: string, summary: ClaimSummary): LedgerSession {
  const { stands, listed, mayBePaid, paidAfter, trimmedReference, metadataSalt, metadataProof, ...shown } =
    summary;
  return { key, ...shown };
}
