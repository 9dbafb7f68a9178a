/**
 * Computes the current state of a key's claims from the ledger's entries, one entry at a time. A claim is the record that a key belongs to
 * one workflow. Pure.
 */
import { isSameSession } from '../../contract/identity';
import type { DecisionFact, LedgerEnd, LedgerEntry, LedgerFact, LedgerMoney } from './facts';
import { isPaid } from '../../contract/statuses';

export type Claimed = Extract<LedgerFact, { kind: 'claimed' }>;
export type Opened = Extract<LedgerFact, { kind: 'opened' }>;
export type Settled = Extract<LedgerMoney, { kind: 'settled' }>;
export type Returned = Extract<LedgerMoney, { kind: 'returned' }>;
export type Handled = Extract<LedgerFact, { kind: 'handled' }>;
type StateFact = Extract<LedgerFact, { kind: 'state' }>;

/** A fact, and the number of its claim. */
export type ClaimFact = Pick<LedgerEntry, 'claim' | 'fact'>;

/** The current state of one claim: the request, the session, and the end. */
export interface KnownClaim extends KnownSession {
  /** The number of the claim. Counts the key's claims from 1. */
  readonly number: number;
  readonly claimed: Claimed;
  /**
   * Orders the claims by the time at which their workflows last got the key, from 1. It is 0 if this claim's workflow never got the key.
   */
  readonly grant: number;
  /** The time at which the claim's workflow last asked for the key; ISO 8601, UTC. */
  readonly grantedAt: string;
  /** The number of the claim that took the key over, because Temporal had dropped this claim's workflow. */
  readonly takenOverBy?: number;
  /** The number of create requests that may have reached the service and have no usable answer. */
  readonly lostCreates: number;
  /** The time at which the wait for a person's decision began; ISO 8601, UTC. May still be present after the claim's end. */
  readonly awaitsSince?: string;
  readonly ended?: LedgerEnd;
  /** The time of the last end that a reset has undone; ISO 8601, UTC. Earlier ends are ignored. */
  readonly undoneAt?: string;
  /** The id of the last session that another claim took over from this one. */
  readonly gaveUp?: string;
  /** True if the erasure of the key's personal data is recorded with this claim. It applies to all claims of the key. */
  readonly isErased?: true;
}

/**
 * The facts about a claim's session at the payment service. If another claim of the key takes the session over, the facts move to that
 * claim.
 */
interface KnownSession {
  readonly opened?: Opened;
  /** True if a person named the session. A later answer to a create request then does not replace the session. */
  readonly isNamed: boolean;
  /** The state with the highest number. A state from another claim has the number 0. */
  readonly state?: StateFact;
  /** The last reported amount. */
  readonly reported?: { readonly number: number; readonly amount: number };
  /** True if a fact says that the session is paid. */
  readonly isReportedPaid: boolean;
  readonly settled?: Settled;
  readonly returned?: Returned;
  /** Present if a person has handled the money that came back. */
  readonly handled?: Handled;
}

const NO_SESSION: KnownSession = { isNamed: false, isReportedPaid: false };

/** Returns the claims of a key from all entries of the key, oldest first. */
export const claimsOf = (entries: readonly ClaimFact[]): readonly KnownClaim[] =>
  entries.reduce<readonly KnownClaim[]>(fold, []);

/** Adds a fact to the claims of a key. A fact of an unknown claim is ignored. */
export function fold(
  claims: readonly KnownClaim[],
  { claim: number, fact }: ClaimFact,
): readonly KnownClaim[] {
  if (fact.kind === 'claimed') return granted(claims, number, fact);
  const claim = claims[number - 1];
  if (claim === undefined) return claims;
  if (fact.kind === 'opened') return opened(claims, withoutUndoneEnd(claim), fact);
  return replaced(claims, withFact(claim, fact));
}

const replaced = (claims: readonly KnownClaim[], claim: KnownClaim): readonly KnownClaim[] =>
  claims.map((one) => (one.number === claim.number ? claim : one));

/**
 * Adds a `claimed` fact: the claim's workflow gets the key, or gets it again. A claim that is aside (`isAside`) does not get the key. If
 * the workflow takes the key over from another claim, the other claim loses the key.
 */
function granted(claims: readonly KnownClaim[], number: number, claimed: Claimed): readonly KnownClaim[] {
  const before = claims[number - 1];
  if (before === undefined && number !== claims.length + 1) return claims;
  const { isAside, takesOver, lostCreates = 0 } = claimed;
  const grant = isAside === true ? 0 : Math.max(0, ...claims.map((claim) => claim.grant)) + 1;
  const { takenOverBy: _gone, ...claim } = before ?? {
    ...NO_SESSION,
    number,
    claimed,
    grant,
    grantedAt: claimed.at,
    lostCreates: 0,
  };
  const known = {
    ...reopened(claim, claimed),
    grant,
    grantedAt: claimed.at,
    lostCreates: Math.max(claim.lostCreates, lostCreates),
  };
  const others = claims.map((one) => (one.number === takesOver ? { ...one, takenOverBy: number } : one));
  return before === undefined ? [...others, known] : replaced(others, known);
}

/** If the fact is later than the claim's end, a reset has undone the end. Drops the end and the wait for a decision. */
function reopened(claim: KnownClaim, { at }: Pick<LedgerFact, 'at'>): KnownClaim {
  const { ended, awaitsSince: _over, ...left } = claim;
  return ended === undefined || at <= ended.at ? claim : { ...left, undoneAt: ended.at };
}

/** Assigns the session to the claim. If another claim of the key had the session, that claim loses it. */
function opened(claims: readonly KnownClaim[], claim: KnownClaim, fact: Opened): readonly KnownClaim[] {
  const before = claims.find((one) => one.number !== claim.number && hasSession(one, fact.sessionId));
  const isAnother = claim.opened !== undefined && !hasSession(claim, fact.sessionId);
  const own = isAnother ? reopened(withoutSession(claim), fact) : claim;
  if (before === undefined) {
    const isNamed = fact.how === 'adopt';
    if (claim.isNamed && !isNamed) return claims;
    return replaced(claims, { ...unlessAwaiting(own, fact, isNamed), opened: fact, isNamed });
  }
  const { isNamed, state, reported, isReportedPaid, settled, returned, handled } = before;
  const taken = {
    ...(state && { state: { ...state, number: 0 } }),
    ...(reported && { reported: { ...reported, number: 0 } }),
    ...(settled && { settled }),
    ...(returned && { returned }),
    ...(handled && { handled }),
  };
  return replaced(replaced(claims, { ...withoutSession(before), gaveUp: fact.sessionId }), {
    ...taken,
    ...unlessAwaiting(own, fact, fact.how === 'adopt'),
    opened: fact,
    isNamed: isNamed || fact.how === 'adopt',
    isReportedPaid: own.isReportedPaid || isReportedPaid,
  });
}

/** True if the workflow continues after the decision, so its wait is over. After the decision to give up, the workflow ends instead. */
const endsWait = ({ decision, result }: DecisionFact): boolean =>
  decision === 'retry' || (decision === 'adopt' && result === 'applied');

function withoutWait({ awaitsSince: _over, ...claim }: KnownClaim): KnownClaim {
  return claim;
}

/**
 * Ends the claim's wait for a decision, because an event shows that the workflow has continued: it opened, polled or cancelled a session,
 * or ended. An event that is older than the wait was recorded late, and does not end the wait. An adoption always ends the wait.
 */
function unlessAwaiting(claim: KnownClaim, { at }: Pick<LedgerFact, 'at'>, isNamed = false): KnownClaim {
  const { awaitsSince } = claim;
  const isOver = awaitsSince !== undefined && (isNamed || at >= awaitsSince);
  return isOver ? withoutWait(claim) : claim;
}

/** True if the workflow ended without a session. Such an end says nothing about a session that turns up later. */
const isSessionless = ({ leftNothing, withoutSession }: LedgerEnd): boolean =>
  leftNothing || withoutSession === true;

/** True for the state of a session that was cancelled before it was created. */
export const isBeforeCreate = ({ source, number }: StateFact): boolean => source === 'cancel' && number === 1;

/**
 * Prepares a claim for a session that turns up after all, because the workflow was reset, or because a lost create request has created a
 * session. Drops an end without a session, the wait for a decision, and the state of a session that was cancelled before it was created.
 */
function withoutUndoneEnd({ ended, state, ...known }: KnownClaim): KnownClaim {
  const isUndoneEnd = ended !== undefined && isSessionless(ended);
  const claim = isUndoneEnd ? withoutWait(known) : known;
  return {
    ...claim,
    ...(state !== undefined && !isBeforeCreate(state) && { state }),
    ...(ended !== undefined && !isUndoneEnd && { ended }),
  };
}

/** Drops a claim's session, because another claim has taken it over, or because the claim now has another session. */
function withoutSession(claim: KnownClaim): KnownClaim {
  const {
    opened: _opened,
    state: _state,
    reported: _reported,
    settled: _settled,
    returned: _returned,
    handled: _handled,
    ...left
  } = claim;
  return { ...left, ...NO_SESSION };
}

/** True if the claim has this session of the payment service. */
export const hasSession = ({ opened }: KnownClaim, sessionId: string): boolean =>
  opened !== undefined && isSameSession(opened.sessionId, sessionId);

function withFact(claim: KnownClaim, fact: Exclude<LedgerFact, Claimed | Opened>): KnownClaim {
  switch (fact.kind) {
    case 'createUnknown':
      return { ...claim, lostCreates: claim.lostCreates + 1 };
    case 'state':
      return isBeforeCreate(fact) && claim.opened !== undefined ? claim : seen(claim, fact);
    case 'parked':
      // The wait was recorded late. If the session was created after it began, the wait is over.
      return claim.opened !== undefined && claim.opened.at >= fact.at
        ? claim
        : { ...reopened(claim, fact), awaitsSince: fact.at };
    case 'decision':
      return endsWait(fact) ? withoutWait(claim) : claim;
    // A session is one payment. Its money moves at most once in each direction, so the first fact counts.
    case 'settled':
      return { settled: fact, ...claim };
    case 'returned':
      return { returned: fact, ...claim };
    case 'handled':
      return claim.returned === undefined ? claim : { handled: fact, ...claim };
    case 'ended':
      // A workflow ends a second time if it was reset, or if its last step was refused. The later end counts, even if
      // it is recorded first.
      if (isUndone(claim, fact)) return claim;
      // The workflow ended without a session, so this is not the end of the claim's session. It only ends the wait.
      if (isSessionless(fact) && claim.opened !== undefined) return unlessAwaiting(claim, fact);
      return { ...claim, ended: fact, isReportedPaid: claim.isReportedPaid || fact.paid };
    case 'erased':
      return { ...claim, isErased: true };
    case 'cancel':
    case 'anomaly':
      return claim;
  }
}

/** True if a later end is known, or a reset has undone this end. */
export const isUndone = (
  { ended, undoneAt = '' }: Pick<KnownClaim, 'ended' | 'undoneAt'>,
  { at }: LedgerEnd,
): boolean => at <= undoneAt || (ended !== undefined && ended.at > at);

/** Adds a state. Of two states with the same number, the later recorded state counts. */
function seen(claim: KnownClaim, fact: StateFact): KnownClaim {
  const { state, reported, claimed } = claim;
  const { number, amount } = fact;
  const isLast = number >= (state?.number ?? 0);
  const isLastAmount = amount !== undefined && number >= (reported?.number ?? 0);
  return {
    ...(fact.source === 'create' ? claim : unlessAwaiting(claim, fact)),
    ...(isLast && { state: fact }),
    ...(isLastAmount && { reported: { number, amount } }),
    isReportedPaid: claim.isReportedPaid || isPaid(claimed.sessionKind, fact),
  };
}

/** True if the claim certainly never had a session. Another claim can then have the key. */
export const isFree = ({ ended, opened, lostCreates, settled, returned }: KnownClaim): boolean =>
  ended?.leftNothing === true &&
  opened === undefined &&
  lostCreates === 0 &&
  settled === undefined &&
  returned === undefined;

/**
 * Returns the key's standing claim, which is the claim that is shown for the key; `undefined` if the key has no claim.
 *
 * The standing claim is the claim whose workflow got the key last. Claims that never had a session, or from which another claim has taken
 * the key over, are considered only if the key has no other claims. A claim that is aside has the grant 0, so any other claim goes before
 * it.
 */
export function standingClaim(claims: readonly KnownClaim[]): KnownClaim | undefined {
  const taken = claims.filter((claim) => !isFree(claim) && claim.takenOverBy === undefined);
  const choice = taken.length > 0 ? taken : claims;
  return choice.reduce<KnownClaim | undefined>(
    (one, other) => (one === undefined || other.grant >= one.grant ? other : one),
    undefined,
  );
}

/** A session, and the number of other create requests of the key with an unknown outcome. The number is 0 if a person named the session. */
export interface FoundSession {
  readonly opened: Opened;
  readonly lostCreates: number;
}

/**
 * Returns the claim's session. If the claim has none, returns the session of the claim from which it took the key over, because that
 * session may have become known later. Returns `undefined` if there is no session.
 */
export function sessionOf(claims: readonly KnownClaim[], claim: KnownClaim): FoundSession | undefined {
  const { opened, lostCreates, number } = claim;
  if (opened !== undefined) return { opened, lostCreates: claim.isNamed ? 0 : lostCreates };
  const before = claims.find(({ takenOverBy }) => takenOverBy === number);
  const found = before && sessionOf(claims, before);
  // At the take-over, the create request of this session counted as lost. It is not lost after all.
  return found && { ...found, lostCreates: before.isNamed ? 0 : lostCreates - 1 };
}

/** True if the claim is paid (contract rules A46 and A56, docs/contract.md). The claim's end decides, or before the end, the last state. */
export const isClaimPaid = ({ ended, state, claimed }: KnownClaim): boolean =>
  ended?.paid ?? isPaid(claimed.sessionKind, { ...state });

/**
 * Returns the amount in dollars, if it is known. The first known amount of these counts: the amount at the session's end, the last reported
 * amount, the request's amount.
 */
export const amountOf = ({ ended, reported, claimed }: KnownClaim): number | undefined =>
  ended?.amount ?? reported?.amount ?? claimed.amount;

/** True if the payor may still enter or change the amount. The amount of a completed session is final. */
export const isAmountOpen = ({ claimed, ended, state }: KnownClaim): boolean =>
  claimed.amountOpen === true && (ended?.status ?? state?.status) !== 'Completed';

/** The statuses after which no money moves. */
const UNPAID: readonly string[] = ['Failed', 'Cancelled', 'Expired'];

/**
 * True if the claim's money may have moved, or may still move. False if the session certainly never existed, or has ended as `Failed`,
 * `Cancelled` or `Expired`. Money may still move after an end that could not be verified, after an unsigned end, and after a lost create
 * request.
 */
export function mayBePaid(claim: KnownClaim): boolean {
  const { opened, ended, state, settled, returned } = claim;
  if (settled !== undefined || returned !== undefined) return true;
  if (opened === undefined) return !isFree(claim);
  return !UNPAID.includes(ended?.status ?? state?.status ?? '');
}

/** The maximum age, before the claim, of a session that a person has named. An assumption. */
const NAMED_OLDER_BY_MS = 366 * 86_400_000;

/**
 * Returns the earliest time at which the claim's money can have moved; ISO 8601, UTC. This may be before the claim, because the session may
 * come from an earlier claim, which the ledger may even have lost.
 */
export function paidAfter(claims: readonly KnownClaim[], claim: KnownClaim): string {
  const { claimed, opened = claimed, isNamed, number } = claim;
  const own = isNamed ? new Date(Date.parse(claimed.at) - NAMED_OLDER_BY_MS).toISOString() : claimed.at;
  return claims
    .filter(({ takenOverBy }) => takenOverBy === number)
    .map((before) => paidAfter(claims, before))
    .concat(opened.at)
    .reduce((earliest, at) => (at < earliest ? at : earliest), own);
}
