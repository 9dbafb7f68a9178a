import { sessionKind } from '../src/contract/kinds';
import type { LedgerClaim, LedgerClaimAnswer, LedgerEnd, LedgerFact } from '../src/protocol/ledger/facts';

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
  const { claimed, opened, wasSent, ended } = known;
  if (claimed.firstRunId === claim.firstRunId) {
    // Its answer may have been lost: it is given until the workflow says that it has heard it.
    const isUnclear = claimed.isUnclear === true && claim.knowsUnclear !== true;
    const answer = opened !== undefined ? createdAs(opened) : isUnclear ? unclear : claimedAnswer;
    return { add: [], answer };
  }
  if (ended?.leftNothing === true && opened === undefined && !wasSent)
    return { add, answer: { outcome: 'claimed' } };
  if (claimed.fingerprint !== claim.fingerprint) return { add: [], answer: { outcome: 'conflict' } };
  if (ended !== undefined) return { add: [], answer: answerOfEnd(ended) };
  if (opened !== undefined) return { add, answer: createdAs(opened) };
  return { add: [{ ...claimedFact(claim), isUnclear: true }], answer: unclear };
}

/** What is known since a key was claimed last. */
interface KnownClaim {
  readonly claimed: Claimed;
  readonly opened?: Opened;
  /** A create request was sent, and its answer was lost. */
  readonly wasSent: boolean;
  readonly ended?: LedgerEnd;
}

type Claimed = Extract<LedgerFact, { kind: 'claimed' }>;
type Opened = Extract<LedgerFact, { kind: 'opened' }>;

function lastClaim(facts: readonly LedgerFact[]): KnownClaim | undefined {
  let known: KnownClaim | undefined;
  for (const fact of facts) {
    if (fact.kind === 'claimed') {
      // A workflow that takes a session over goes on with what is known of it.
      const isSame = known?.claimed.fingerprint === fact.fingerprint && known.ended === undefined;
      known = { wasSent: false, ...(isSame && known), claimed: fact };
    } else if (known !== undefined) {
      if (fact.kind === 'opened') known = { ...known, opened: decided(known.opened, fact) };
      else if (fact.kind === 'createUnknown') known = { ...known, wasSent: true };
      else if (isEndOf(fact, known)) known = { ...known, ended: fact };
    }
  }
  return known;
}

/** What a person has named stands, whichever answer of a create comes to light later. */
const decided = (before: Opened | undefined, now: Opened): Opened =>
  before?.how === 'adopt' && now.how === 'create' ? before : now;

/** A workflow that had the key before may have its end recorded late. */
const isEndOf = (fact: LedgerFact, { claimed }: KnownClaim): fact is LedgerEnd =>
  fact.kind === 'ended' && fact.firstRunId === claimed.firstRunId;

/** Whether a workflow has the key now. */
export const holds = (facts: readonly LedgerFact[], firstRunId: string): boolean =>
  lastClaim(facts)?.claimed.firstRunId === firstRunId;

const createdAs = ({ sessionId }: Opened): JudgedClaim['answer'] => ({ outcome: 'created', sessionId });

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
