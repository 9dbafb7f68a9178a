import { sessionKind } from '../src/contract/kinds';
import type { LedgerClaim, LedgerClaimAnswer, LedgerEnd, LedgerFact } from '../src/protocol/ledger/facts';
import { lastClaim, type Claimed, type Opened } from '../src/protocol/ledger/last-claim';

/** What becomes of a claim, and what is recorded of it. */
export interface JudgedClaim {
  readonly add: readonly LedgerFact[];
  /** `ended` lacks its result, which is encrypted. */
  readonly answer: Exclude<LedgerClaimAnswer, { outcome: 'ended' }> | { readonly outcome: 'ended' };
}

/**
 * Decides whose a key is, by what the ledger knows of it: the one rule. A key is claimed for ever, unless there certainly never was a
 * session at the payment service. Pure.
 */
export function judgeClaim(facts: readonly LedgerFact[], claim: LedgerClaim): JudgedClaim {
  const known = lastClaim(facts);
  const add = [claimedFact(claim)];
  const unclear = { outcome: 'unknown' } as const;
  if (known === undefined) return { add, answer: { outcome: 'claimed' } };
  const { claimed, opened, lostCreates, settled, returned, ended } = known;
  if (claimed.firstRunId === claim.firstRunId) {
    // Its answer may have been lost: it is given until the workflow says that it has heard it.
    const isUnclear = claimed.isUnclear === true && claim.knowsUnclear !== true;
    const answer =
      opened !== undefined ? createdAs(opened, lostCreates) : isUnclear ? unclear : claimedAnswer;
    return { add: [], answer };
  }
  const hasMoved = settled !== undefined || returned !== undefined;
  const hasLeft = opened !== undefined || lostCreates > 0 || hasMoved;
  if (ended?.leftNothing === true && !hasLeft) return { add, answer: { outcome: 'claimed' } };
  if (claimed.fingerprint !== claim.fingerprint) return { add: [], answer: { outcome: 'conflict' } };
  if (ended !== undefined) return { add: [], answer: answerOfEnd(ended) };
  if (opened !== undefined) return { add, answer: createdAs(opened, lostCreates) };
  return { add: [{ ...claimedFact(claim), isUnclear: true }], answer: unclear };
}

/** Whether a workflow has the key now. */
export const holds = (facts: readonly LedgerFact[], firstRunId: string): boolean =>
  lastClaim(facts)?.claimed.firstRunId === firstRunId;

/** Whether a workflow is known to have ended later than these facts say: whoever told them was slow. */
export function hasEndedLater(
  known: readonly LedgerFact[],
  firstRunId: string,
  facts: readonly LedgerFact[],
): boolean {
  const end = facts.find(({ kind }) => kind === 'ended');
  const isLater = (fact: LedgerFact) =>
    fact.kind === 'ended' && fact.firstRunId === firstRunId && end !== undefined && fact.at > end.at;
  return known.some(isLater);
}

/** A session that a person has named is what became of a create whose answer was lost: of those, nobody can tell how many are left. */
function createdAs({ sessionId, how }: Opened, lostCreates: number): JudgedClaim['answer'] {
  return { outcome: 'created', sessionId, ...(how === 'create' && lostCreates > 0 && { lostCreates }) };
}

function answerOfEnd({ failure }: LedgerEnd): JudgedClaim['answer'] {
  return failure === undefined ? { outcome: 'ended' } : { outcome: 'failed', code: failure };
}

const claimedAnswer = { outcome: 'claimed' } as const;

function claimedFact({ fingerprint, firstRunId, account, request, referenceId, at }: LedgerClaim): Claimed {
  const { amount, currency = 'CAD' } = request;
  return {
    kind: 'claimed',
    at,
    fingerprint,
    firstRunId,
    account,
    sessionKind: sessionKind(request),
    ...(amount != null && { amount }),
    currency,
    ...(referenceId !== undefined && { referenceId }),
    request,
  };
}
