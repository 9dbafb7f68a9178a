import type { LedgerSession } from '../../../ledger';
import type { ClaimSummary } from '../../../ledger/sessions/summary';

/** Returns a claim in the form that the ledger’s lists use, computed from the claim’s summary. */
export function asListed(key: string, summary: ClaimSummary): LedgerSession {
  const { stands, listed, ...known } = summary;
  const { mayBePaid, fitsAnyAmount, paidAfter, trimmedReference, metadataSalt, metadataProof, ...shown } =
    known;
  return { key, ...shown };
}
