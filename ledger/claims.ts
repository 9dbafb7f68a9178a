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
  if (known === undefined) return { add, answer: { outcome: 'claimed' } };
  const { claimed, opened, wasSent, ended } = known;
  if (claimed.firstRunId === claim.firstRunId)
    return { add: [], answer: opened === undefined ? { outcome: 'claimed' } : createdAs(opened) };
  if (ended?.leftNothing === true && opened === undefined && !wasSent)
    return { add, answer: { outcome: 'claimed' } };
  if (claimed.fingerprint !== claim.fingerprint) return { add: [], answer: { outcome: 'conflict' } };
  if (ended !== undefined) return { add: [], answer: answerOfEnd(ended) };
  if (opened !== undefined) return { add, answer: createdAs(opened) };
  return { add, answer: { outcome: 'unknown' } };
}

/** What is known since a key was claimed last. */
interface KnownClaim {
  readonly claimed: Extract<LedgerFact, { kind: 'claimed' }>;
  readonly opened?: Opened;
  /** A create request was sent, and its answer was lost. */
  readonly wasSent: boolean;
  readonly ended?: LedgerEnd;
}

type Opened = Extract<LedgerFact, { kind: 'opened' }>;

function lastClaim(facts: readonly LedgerFact[]): KnownClaim | undefined {
  let known: KnownClaim | undefined;
  for (const fact of facts) {
    if (fact.kind === 'claimed') {
      // A workflow that takes a session over goes on with what is known of it.
      const isSame = known?.claimed.fingerprint === fact.fingerprint && known.ended === undefined;
      known = { wasSent: false, ...(isSame && known), claimed: fact };
    } else if (known !== undefined) {
      if (fact.kind === 'opened') known = { ...known, opened: fact };
      else if (fact.kind === 'createUnknown') known = { ...known, wasSent: true };
      else if (fact.kind === 'ended') known = { ...known, ended: fact };
    }
  }
  return known;
}

const createdAs = ({ sessionId }: Opened): JudgedClaim['answer'] => ({ outcome: 'created', sessionId });

function answerOfEnd({ failure }: LedgerEnd): JudgedClaim['answer'] {
  return failure === undefined ? { outcome: 'ended' } : { outcome: 'failed', code: failure };
}

function claimedFact({
  fingerprint,
  firstRunId,
  account,
  request,
  referenceId,
  at,
}: LedgerClaim): LedgerFact {
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
