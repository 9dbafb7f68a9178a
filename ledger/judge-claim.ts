import { isFixedAmount, isSameSession } from '../src/contract/identity';
import type { LedgerClaim, LedgerClaimAnswer, LedgerEnd, LedgerFact } from '../src/protocol/ledger/facts';
import {
  hasSession,
  isFree,
  isUndone,
  sessionOf,
  standingClaim,
  type ClaimFact,
  type Claimed,
  type FoundSession,
  type KnownClaim,
  type Opened,
} from '../src/protocol/ledger/fold';
import { sessionKind } from '../src/contract/statuses';
import type { Decided } from './entry-log';

/**
 * The rules by which the ledger decides which workflow gets a key.
 *
 * A claim is the ledger's record that a key belongs to one workflow. A key can have several claims, for instance if its first workflow was
 * dropped by Temporal and the key was started again. The standing claim is the one that currently has the key. A workflow is identified by
 * the id of its first run (`firstRunId`). All functions here are pure.
 */

/** The answer to a claim, and the facts to record. The answer `ended` has no result here, because results are encrypted. */
export type JudgedClaim = Decided<
  Exclude<LedgerClaimAnswer, { outcome: 'ended' }> | { readonly outcome: 'ended' }
>;

/**
 * Decides if a workflow gets a key, from the claims that the key already has. A key stays claimed for ever. There is one exception: if it is
 * certain that the claim's workflow never created a session at the payment service, the key is free again.
 */
export function judgeClaim(claims: readonly KnownClaim[], claim: LedgerClaim): JudgedClaim {
  const own = ownClaim(claims, claim.firstRunId);
  const standing = standingClaim(claims);
  if (own !== undefined && own === standing) return answerOwner(claims, own, claim);
  const number = own?.number ?? claims.length + 1;
  if (standing === undefined || isFree(standing)) {
    const fact = own === undefined ? claimedFact(claim) : claimedAgain(own, claim);
    return { add: [{ claim: number, fact }], answer: { outcome: 'claimed' } };
  }
  if (claim.onlyNew === true && own === undefined) return { add: [], answer: { outcome: 'conflict' } };
  if (standing.claimed.fingerprint !== claim.fingerprint) return { add: [], answer: { outcome: 'conflict' } };
  if (standing.ended !== undefined) return { add: [], answer: answerOfEnd(standing.ended) };
  // The claim was made before the standing claim, and arrives late, perhaps from a worker that was frozen. It must not take the session away.
  // After a restore of Temporal, an earlier workflow may run again. That workflow's claim has a later time, so it is not refused here.
  if (claim.at < standing.grantedAt) return LATE;
  return takenOver(claims, { standing, number }, claim);
}

const LATE: JudgedClaim = { add: [], answer: { outcome: 'late' } };

/** Returns the claim of a workflow, or `undefined` if the workflow has no claim. */
export const ownClaim = (claims: readonly KnownClaim[], firstRunId: string): KnownClaim | undefined =>
  claims.find(({ claimed }) => claimed.firstRunId === firstRunId);

/** Answers a workflow that already has the key. It asks again, because it has lost the earlier answer, or a reset has undone that answer. */
function answerOwner(claims: readonly KnownClaim[], own: KnownClaim, claim: LedgerClaim): JudgedClaim {
  const { lostCreates, ended, number } = own;
  if (ended !== undefined && claim.at < ended.at) return LATE;
  const isReset = ended !== undefined && claim.at > ended.at;
  const add: ClaimFact[] = isReset ? [{ claim: number, fact: claimedAgain(own, claim) }] : [];
  const found = sessionOf(claims, own);
  if (found !== undefined) {
    if (own.opened === undefined) add.push({ claim: number, fact: takenOverFact(found, claim, own) });
    return { add, answer: createdAs(found) };
  }
  const isUnknown = lostCreates > (claim.lostCreates ?? 0);
  return { add, answer: isUnknown ? { outcome: 'unknown', lostCreates } : { outcome: 'claimed' } };
}

/** Passes the key from the standing claim to another workflow. If the key's session is known, passes the session on, too. */
function takenOver(
  claims: readonly KnownClaim[],
  { standing, number }: { readonly standing: KnownClaim; readonly number: number },
  claim: LedgerClaim,
): JudgedClaim {
  const found = sessionOf(claims, standing);
  // The earlier workflow may have sent one more create request than the ledger knows of.
  const lostCreates = found?.lostCreates ?? standing.lostCreates + 1;
  const claimed = {
    ...claimedFact(claim),
    takesOver: standing.number,
    ...(lostCreates > 0 && { lostCreates }),
  };
  const add: ClaimFact[] = [{ claim: number, fact: claimed }];
  if (found === undefined) return { add, answer: { outcome: 'unknown', lostCreates } };
  add.push({ claim: number, fact: takenOverFact(found, claim, claims[number - 1]) });
  return { add, answer: createdAs(found) };
}

/**
 * Returns the fact `opened` for a session that the claim gets from another claim. If the claim had the same session before and gave it up,
 * the member `again` makes this fact different from the earlier one.
 */
const takenOverFact = (
  { opened: { sessionId } }: FoundSession,
  { at }: LedgerClaim,
  own: KnownClaim | undefined,
): Opened => ({
  kind: 'opened',
  at,
  sessionId,
  how: 'takeOver',
  ...(own?.gaveUp !== undefined && isSameSession(own.gaveUp, sessionId) && { again: at }),
});

/**
 * Returns the answer for a key whose session is known.
 *
 * If a person has named the session, one of the lost create requests has opened it. The ledger does not know which of these requests are
 * still unexplained. So `sessionOf` then returns 0 lost create requests.
 */
function createdAs({ opened: { sessionId }, lostCreates }: FoundSession): JudgedClaim['answer'] {
  return { outcome: 'created', sessionId, ...(lostCreates > 0 && { lostCreates }) };
}

function answerOfEnd({ failure }: LedgerEnd): JudgedClaim['answer'] {
  return failure === undefined ? { outcome: 'ended' } : { outcome: 'failed', code: failure };
}

/** Returns the fact `claimed` for a workflow that has claimed the key before, for instance if the workflow was reset after its end. */
const claimedAgain = ({ number }: KnownClaim, claim: LedgerClaim): Claimed => ({
  ...claimedFact(claim),
  takesOver: number,
});

function claimedFact(claim: LedgerClaim): Claimed {
  const { fingerprint, firstRunId, account, request, referenceId, metadata, searchable, at } = claim;
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
    ...(!isFixedAmount(request) && { amountOpen: true }),
    currency,
    ...(referenceId !== undefined && { referenceId }),
    request,
    ...(metadata !== undefined && { metadata }),
    ...(searchable !== undefined && { searchable }),
  };
}

/** The claim of the workflow whose facts are recorded. */
type OwnClaim = Pick<KnownClaim, 'number' | 'ended' | 'undoneAt' | 'opened'> &
  Partial<Pick<KnownClaim, 'isNamed' | 'grant'>>;

/**
 * True if the facts are about an earlier session than the session of the claim. After a reset, the new run of a workflow may open a second
 * session. Facts of the earlier run may then be recorded late. They are about the first session, and must not be added to the second.
 */
function isOfEarlierSession({ opened: known, isNamed }: OwnClaim, facts: readonly LedgerFact[]): boolean {
  const opened = facts.find((fact) => fact.kind === 'opened');
  if (known === undefined || opened === undefined || isSameSession(known.sessionId, opened.sessionId))
    return false;
  if (opened.how === 'found') return true;
  if (opened.how === 'adopt') return opened.at < known.at;
  return opened.at <= known.at || isNamed === true;
}

/**
 * Returns the time of the last end of the claim that a reset has undone. A later `parked` among the facts shows such a reset. Returns
 * `undefined` if no end was undone.
 */
const undoneBy = (facts: readonly LedgerFact[], { ended, undoneAt }: OwnClaim): string | undefined =>
  ended !== undefined && facts.some(({ kind, at }) => kind === 'parked' && at > ended.at)
    ? ended.at
    : undoneAt;

/** Returns those of the facts that apply to the workflow's claim. */
export function factsOfClaim(
  claims: readonly KnownClaim[],
  own: OwnClaim,
  facts: readonly LedgerFact[],
): readonly ClaimFact[] {
  if (isOfEarlierSession(own, facts)) return [];
  const isChange = (fact: LedgerFact): boolean => {
    // If another claim has the session, the claim that got the key last keeps it, so that no payment is counted twice. (A claim that never had
    // the key comes first in this order.) So this `opened` counts only if no other claim with the session got the key later.
    if (fact.kind === 'opened')
      return !claims.some(
        (one) =>
          one.number !== own.number && hasSession(one, fact.sessionId) && one.grant >= (own.grant ?? 0),
      );
    // An end does not count if a later end is already recorded, or if a reset has undone this end.
    return fact.kind !== 'ended' || !isUndone(own, fact);
  };
  const undoneAt = undoneBy(facts, own);
  const after = undoneAt !== undefined && { after: undoneAt };
  return facts
    .filter(isChange)
    .map((fact) => ({ claim: own.number, fact: fact.kind === 'ended' ? { ...fact, ...after } : fact }));
}

/** Returns a claim for a workflow that has none, and the facts to record for it. Returns [] if the workflow needs no claim. */
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
  const applied = factsOfClaim(claims, { number }, facts);
  // This workflow had taken over the key and the standing claim's session, but the ledger has lost that record. So it is recorded again.
  if (facts.some((fact) => fact.kind === 'opened' && hasSession(standing, fact.sessionId)))
    return [...takenOver(claims, { standing, number }, claim).add, ...applied];
  return [{ claim: number, fact: { ...claimedFact(claim), isAside: true } }, ...applied];
}

/**
 * True if the workflow needs no claim. Either it never created a session at the payment service, or it only returned the result of another
 * workflow of the key.
 */
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
