import { isSameSession } from '../src/contract/identity';
import type { LedgerClaim, LedgerClaimAnswer, LedgerEnd, LedgerFact } from '../src/protocol/ledger/facts';
import {
  hasSession,
  isFree,
  sessionOf,
  standingClaim,
  type ClaimFact,
  type Claimed,
  type FoundSession,
  type KnownClaim,
  type Opened,
} from '../src/protocol/ledger/known-claim';
import { sessionKind } from '../src/contract/statuses';

/** What becomes of a claim, and what is recorded of it. */
export interface JudgedClaim {
  readonly add: readonly ClaimFact[];
  /** `ended` lacks its result, which is encrypted. */
  readonly answer: Exclude<LedgerClaimAnswer, { outcome: 'ended' }> | { readonly outcome: 'ended' };
}

/**
 * Decides whose a key is, by what the ledger knows of its claims: the one rule. A key is claimed for ever, unless there certainly never was a
 * session at the payment service. Pure.
 */
export function judgeClaim(claims: readonly KnownClaim[], claim: LedgerClaim): JudgedClaim {
  const own = ownClaim(claims, claim.firstRunId);
  const standing = standingClaim(claims);
  if (own !== undefined && own === standing) return goneOn(claims, own, claim);
  const number = own?.number ?? claims.length + 1;
  if (standing === undefined || isFree(standing))
    return { add: [{ claim: number, fact: claimedFact(claim) }], answer: { outcome: 'claimed' } };
  if (claim.onlyNew === true && own === undefined) return { add: [], answer: { outcome: 'conflict' } };
  if (standing.claimed.fingerprint !== claim.fingerprint) return { add: [], answer: { outcome: 'conflict' } };
  if (standing.ended !== undefined) return { add: [], answer: answerOfEnd(standing.ended) };
  return takenOver(claims, { standing, number }, claim);
}

/** The claim of a workflow; `undefined` if it has none. */
export const ownClaim = (claims: readonly KnownClaim[], firstRunId: string): KnownClaim | undefined =>
  claims.find(({ claimed }) => claimed.firstRunId === firstRunId);

/** The answer to the workflow that has the key: that of an earlier time may have been lost, or undone by a reset. */
function goneOn(claims: readonly KnownClaim[], own: KnownClaim, claim: LedgerClaim): JudgedClaim {
  const found = sessionOf(claims, own);
  if (found !== undefined) {
    const add = own.opened === undefined ? [{ claim: own.number, fact: takenOverFact(found, claim) }] : [];
    return { add, answer: createdAs(found) };
  }
  const { lostCreates } = own;
  const isUnknown = lostCreates > (claim.lostCreates ?? 0);
  return { add: [], answer: isUnknown ? { outcome: 'unknown', lostCreates } : { outcome: 'claimed' } };
}

/** The key goes to another workflow with the same request, with all that is known of its session: Temporal has forgotten the one before. */
function takenOver(
  claims: readonly KnownClaim[],
  { standing, number }: { readonly standing: KnownClaim; readonly number: number },
  claim: LedgerClaim,
): JudgedClaim {
  const found = sessionOf(claims, standing);
  // Nobody knows whether the workflow before has sent one more.
  const lostCreates = found?.lostCreates ?? standing.lostCreates + 1;
  const claimed = {
    ...claimedFact(claim),
    takesOver: standing.number,
    ...(lostCreates > 0 && { lostCreates }),
  };
  const add: ClaimFact[] = [{ claim: number, fact: claimed }];
  if (found === undefined) return { add, answer: { outcome: 'unknown', lostCreates } };
  add.push({ claim: number, fact: takenOverFact(found, claim) });
  return { add, answer: createdAs(found) };
}

const takenOverFact = ({ opened: { sessionId } }: FoundSession, { at }: LedgerClaim): Opened => ({
  kind: 'opened',
  at,
  sessionId,
  how: 'takeOver',
});

/** A session that a person has named is what became of a create whose answer was lost: of those, nobody can tell how many are left. */
function createdAs({ opened: { sessionId }, lostCreates }: FoundSession): JudgedClaim['answer'] {
  return { outcome: 'created', sessionId, ...(lostCreates > 0 && { lostCreates }) };
}

function answerOfEnd({ failure }: LedgerEnd): JudgedClaim['answer'] {
  return failure === undefined ? { outcome: 'ended' } : { outcome: 'failed', code: failure };
}

function claimedFact({ fingerprint, firstRunId, account, request, referenceId, at }: LedgerClaim): Claimed {
  const { amount, currency = 'CAD', direction } = request;
  return {
    kind: 'claimed',
    at,
    fingerprint,
    firstRunId,
    account,
    sessionKind: sessionKind(request),
    direction,
    ...(amount != null && { amount }),
    currency,
    ...(referenceId !== undefined && { referenceId }),
    request,
  };
}

/** A workflow's own claim. */
type OwnClaim = Pick<KnownClaim, 'number' | 'ended' | 'opened'> & Partial<Pick<KnownClaim, 'isNamed'>>;

/**
 * True if facts are of another session than the claim's. After a reset, another run of the same workflow may have a session of its own:
 * the earlier run's facts, recorded late, are not about it.
 */
function isOfEarlierSession({ opened: known, isNamed }: OwnClaim, facts: readonly LedgerFact[]): boolean {
  const opened = facts.find((fact) => fact.kind === 'opened');
  if (known === undefined || opened === undefined || isSameSession(known.sessionId, opened.sessionId))
    return false;
  if (opened.how === 'found') return true;
  if (opened.how === 'adopt') return opened.at < known.at;
  return opened.at <= known.at || isNamed === true;
}

/** What a workflow has told, as facts of its own claim alone: those that are new there. */
export function factsOfClaim(
  claims: readonly KnownClaim[],
  own: OwnClaim,
  facts: readonly LedgerFact[],
): readonly ClaimFact[] {
  if (isOfEarlierSession(own, facts)) return [];
  const isNews = (fact: LedgerFact): boolean => {
    // Another claim of the key has taken the session over.
    if (fact.kind === 'opened')
      return !claims.some((one) => one.number !== own.number && hasSession(one, fact.sessionId));
    // Whoever recorded the end before it was slower to end than who tells this one.
    return fact.kind !== 'ended' || own.ended === undefined || own.ended.at <= fact.at;
  };
  return facts.filter(isNews).map((fact) => ({ claim: own.number, fact }));
}

/** What is recorded of a workflow that has no claim, or had none as it was told: its claim, made now, and what it has told. */
export function claimedLate(
  claims: readonly KnownClaim[],
  claim: LedgerClaim,
  facts: readonly LedgerFact[],
): readonly ClaimFact[] {
  const number = claims.length + 1;
  const standing = standingClaim(claims);
  if (standing === undefined || isFree(standing))
    return [{ claim: number, fact: claimedFact(claim) }, ...factsOfClaim(claims, { number }, facts)];
  if (isAnswerOf(claims, standing, claim, facts)) return [];
  const told = factsOfClaim(claims, { number }, facts);
  // The ledger has lost that the workflow took the key over, with the session that it tells of.
  if (facts.some((fact) => fact.kind === 'opened' && hasSession(standing, fact.sessionId)))
    return [...takenOver(claims, { standing, number }, claim).add, ...told];
  return [{ claim: number, fact: { ...claimedFact(claim), isAside: true } }, ...told];
}

/** Whether a workflow has only heard what another one's claim says, or has left nothing: it needs no claim. */
function isAnswerOf(
  claims: readonly KnownClaim[],
  standing: KnownClaim,
  claim: LedgerClaim,
  facts: readonly LedgerFact[],
): boolean {
  const end = facts.find((fact) => fact.kind === 'ended');
  if (end?.leftNothing === true) return true;
  const opened = facts.find((fact) => fact.kind === 'opened');
  if (opened !== undefined)
    return claims.some((one) => one.ended !== undefined && hasSession(one, opened.sessionId));
  const isSame = standing.claimed.fingerprint === claim.fingerprint;
  return isSame && end !== undefined && end.failure === standing.ended?.failure;
}
