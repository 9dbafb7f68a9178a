import type { LedgerSession } from '../../../ledger';
import type { ClaimSummary } from '../../../ledger/sessions/summary';

/** Returns a claim's summary in the form in which the ledger's lists return it. */
export function asListed(key: string, summary: ClaimSummary): LedgerSession {
  const { stands, listed, ...known } = summary;
  const { mayBePaid, fitsAnyAmount, paidAfter, trimmedReference, metadataSalt, metadataProof, ...shown } =
    known;
  return { key, ...shown };
}
