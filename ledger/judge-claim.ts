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

/** The answer to a claim, and the facts to record. `ended` lacks its result, which is encrypted. */
export type JudgedClaim = Decided<
  Exclude<LedgerClaimAnswer, { outcome: 'ended' }> | { readonly outcome: 'ended' }
>;

/**
 * Decides from a key's claims in the ledger which workflow gets the key. A key stays claimed for ever, unless it is certain that no session was
 * created at the payment service. Pure.
 */
export function judgeClaim(claims: readonly KnownClaim[], claim: LedgerClaim): JudgedClaim {
  const own = ownClaim(claims, claim.firstRunId);
  const standing = standingClaim(claims);
  if (own !== undefined && own === standing) return goneOn(claims, own, claim);
  const number = own?.number ?? claims.length + 1;
  if (standing === undefined || isFree(standing)) {
    const fact = own === undefined ? claimedFact(claim) : claimedAgain(own, claim);
    return { add: [{ claim: number, fact }], answer: { outcome: 'claimed' } };
  }
  if (claim.onlyNew === true && own === undefined) return { add: [], answer: { outcome: 'conflict' } };
  if (standing.claimed.fingerprint !== claim.fingerprint) return { add: [], answer: { outcome: 'conflict' } };
  if (standing.ended !== undefined) return { add: [], answer: answerOfEnd(standing.ended) };
  // A frozen worker of an ended workflow must not take another workflow's session. A workflow that runs again after a restore of Temporal
  // claims the key again, with a later time.
  if (claim.at < standing.grantedAt) return LATE;
  return takenOver(claims, { standing, number }, claim);
}

const LATE: JudgedClaim = { add: [], answer: { outcome: 'late' } };

/** Returns the claim of a workflow; `undefined` if it has none. */
export const ownClaim = (claims: readonly KnownClaim[], firstRunId: string): KnownClaim | undefined =>
  claims.find(({ claimed }) => claimed.firstRunId === firstRunId);

/** Answers the workflow that already has the key. The workflow may have lost the earlier answer, or a reset may have undone that answer. */
function goneOn(claims: readonly KnownClaim[], own: KnownClaim, claim: LedgerClaim): JudgedClaim {
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

/** Hands the key, and its session if that is known, from the standing claim to another workflow. */
function takenOver(
  claims: readonly KnownClaim[],
  { standing, number }: { readonly standing: KnownClaim; readonly number: number },
  claim: LedgerClaim,
): JudgedClaim {
  const found = sessionOf(claims, standing);
  // The earlier workflow may have sent one more create request.
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
 * Returns the `opened` fact of a session that the claim gets from another claim. If the claim had the session before, `again` distinguishes
 * this fact from the earlier one.
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
 * Answers with the created session. If a person has named the session, it belongs to one of the lost create requests. The ledger cannot
 * know how many of these requests are still unexplained, so `sessionOf` counts none.
 */
function createdAs({ opened: { sessionId }, lostCreates }: FoundSession): JudgedClaim['answer'] {
  return { outcome: 'created', sessionId, ...(lostCreates > 0 && { lostCreates }) };
}

function answerOfEnd({ failure }: LedgerEnd): JudgedClaim['answer'] {
  return failure === undefined ? { outcome: 'ended' } : { outcome: 'failed', code: failure };
}

/** Returns the `claimed` fact of a workflow that has claimed the key before, for instance a workflow that was reset after its end. */
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

/** A workflow's own claim. */
type OwnClaim = Pick<KnownClaim, 'number' | 'ended' | 'undoneAt' | 'opened'> &
  Partial<Pick<KnownClaim, 'isNamed' | 'grant'>>;

/**
 * True if the facts belong to an earlier session than the claim's. After a reset, another run of the same workflow may have its own
 * session. The earlier run's facts, recorded late, are not about that session.
 */
function isOfEarlierSession({ opened: known, isNamed }: OwnClaim, facts: readonly LedgerFact[]): boolean {
  const opened = facts.find((fact) => fact.kind === 'opened');
  if (known === undefined || opened === undefined || isSameSession(known.sessionId, opened.sessionId))
    return false;
  if (opened.how === 'found') return true;
  if (opened.how === 'adopt') return opened.at < known.at;
  return opened.at <= known.at || isNamed === true;
}

/** Returns the time of the claim's last end that was undone, perhaps by one of these facts; `undefined` if no end was undone. */
const undoneBy = (facts: readonly LedgerFact[], { ended, undoneAt }: OwnClaim): string | undefined =>
  ended !== undefined && facts.some(({ kind, at }) => kind === 'parked' && at > ended.at)
    ? ended.at
    : undoneAt;

/** Returns the facts that apply to the workflow's own claim. */
export function factsOfClaim(
  claims: readonly KnownClaim[],
  own: OwnClaim,
  facts: readonly LedgerFact[],
): readonly ClaimFact[] {
  if (isOfEarlierSession(own, facts)) return [];
  const isChange = (fact: LedgerFact): boolean => {
    // An opening does not count if another claim has taken the session over. But a claim that got the key earlier than this one, or never,
    // loses the session to this one, so that nothing is counted twice.
    if (fact.kind === 'opened')
      return !claims.some(
        (one) =>
          one.number !== own.number && hasSession(one, fact.sessionId) && one.grant >= (own.grant ?? 0),
      );
    // An end does not count if a later end is recorded, or a reset has undone it.
    return fact.kind !== 'ended' || !isUndone(own, fact);
  };
  const undoneAt = undoneBy(facts, own);
  const after = undoneAt !== undefined && { after: undoneAt };
  return facts
    .filter(isChange)
    .map((fact) => ({ claim: own.number, fact: fact.kind === 'ended' ? { ...fact, ...after } : fact }));
}

/** Returns a claim for a workflow that has none, and the facts that the workflow reports; nothing if it needs no claim. */
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
  // The ledger has lost the take-over of the key and of the reported session.
  if (facts.some((fact) => fact.kind === 'opened' && hasSession(standing, fact.sessionId)))
    return [...takenOver(claims, { standing, number }, claim).add, ...applied];
  return [{ claim: number, fact: { ...claimedFact(claim), isAside: true } }, ...applied];
}

/**
 * True if the workflow needs no claim: it only received the answer of another workflow's claim, or never created a session at the payment
 * service.
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
