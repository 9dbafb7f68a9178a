import type { LedgerSession } from '../../../ledger';
import type { ClaimSummary } from '../../../ledger/sessions/summary';

/** Returns a summary in the form of lists. */
export function asListed(key: string, summary: ClaimSummary): LedgerSession {
  const { stands, listed, mayBePaid, paidAfter, trimmedReference, metadataSalt, metadataProof, ...shown } =
    summary;
  return { key, ...shown };
}
