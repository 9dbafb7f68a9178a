/** Derives the ledger's knowledge of a key's claims from the key's entries. Pure. */
import { isSameSession } from '../../contract/identity';
import type { DecisionFact, LedgerEnd, LedgerEntry, LedgerFact, LedgerMoney } from './facts';
import { isPaid } from '../../contract/statuses';

export type Claimed = Extract<LedgerFact, { kind: 'claimed' }>;
export type Opened = Extract<LedgerFact, { kind: 'opened' }>;
export type Settled = Extract<LedgerMoney, { kind: 'settled' }>;
export type Returned = Extract<LedgerMoney, { kind: 'returned' }>;
export type Handled = Extract<LedgerFact, { kind: 'handled' }>;
type StateFact = Extract<LedgerFact, { kind: 'state' }>;

/** A fact and its claim. */
export type ClaimFact = Pick<LedgerEntry, 'claim' | 'fact'>;

/** One claim of a key: its workflow's request, and the outcome. */
export interface KnownClaim extends KnownSession {
  /** Counts the key's claims from 1. */
  readonly number: number;
  readonly claimed: Claimed;
  /** Orders the claims by when their workflows last got the key, from 1; 0 if this claim's workflow never did. */
  readonly grant: number;
  /** The time of the claim's last `claimed` fact: when its workflow asked for the key; ISO 8601, UTC. */
  readonly grantedAt: string;
  /** The number of the claim that took the key over, because Temporal had forgotten this claim's workflow. */
  readonly takenOverBy?: number;
  /** The number of create requests that were sent, or may have been, without a usable answer. */
  readonly lostCreates: number;
  /** The time at which the wait for a person's decision began; ISO 8601, UTC. May remain after the claim's end. */
  readonly awaitsSince?: string;
  readonly ended?: LedgerEnd;
  /** The time of the last end that a reset has undone; ISO 8601, UTC. Only later ends count. */
  readonly undoneAt?: string;
  /** The id of the last session that another claim took over from this one. */
  readonly gaveUp?: string;
  /** True if the erasure of the key's personal data is recorded with this claim. It applies to all claims of the key. */
  readonly isErased?: true;
}

/** Facts about a session at the payment service. They move from claim to claim of a key with the session. */
interface KnownSession {
  readonly opened?: Opened;
  /** True if a person named the session. No later answer to a create request replaces that session. */
  readonly isNamed: boolean;
  /** The state with the highest number. A state that was taken over from another claim has the number 0. */
  readonly state?: StateFact;
  /** The last reported amount. */
  readonly reported?: { readonly number: number; readonly amount: number };
  /** True if a fact says that the session is paid. */
  readonly saidPaid: boolean;
  readonly settled?: Settled;
  readonly returned?: Returned;
  /** Present if a person has handled the money that came back. */
  readonly handled?: Handled;
}

const NO_SESSION: KnownSession = { isNamed: false, saidPaid: false };

/** Folds the entries of a key, oldest first. */
export const claimsOf = (entries: readonly ClaimFact[]): readonly KnownClaim[] =>
  entries.reduce<readonly KnownClaim[]>(fold, []);

/** Adds a fact to the known claims of a key, the first claim first. A fact of no known claim changes nothing. */
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
 * Adds a `claimed` fact. The workflow gets the key, perhaps again, unless the claim is aside (`isAside`). If the workflow takes the key
 * over from another claim, that claim loses the key.
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

/** If the workflow went on after its end, drops the end and the wait for a decision: a reset has undone both. */
function reopened(claim: KnownClaim, { at }: Pick<LedgerFact, 'at'>): KnownClaim {
  const { ended, awaitsSince: _over, ...left } = claim;
  return ended === undefined || at <= ended.at ? claim : { ...left, undoneAt: ended.at };
}

/** Assigns the session to the claim. Another claim of the key that had the session loses it. */
function opened(claims: readonly KnownClaim[], claim: KnownClaim, fact: Opened): readonly KnownClaim[] {
  const before = claims.find((one) => one.number !== claim.number && hasSession(one, fact.sessionId));
  const isAnother = claim.opened !== undefined && !hasSession(claim, fact.sessionId);
  const own = isAnother ? reopened(withoutSession(claim), fact) : claim;
  if (before === undefined) {
    const isNamed = fact.how === 'adopt';
    if (claim.isNamed && !isNamed) return claims;
    return replaced(claims, { ...unlessAwaiting(own, fact, isNamed), opened: fact, isNamed });
  }
  const { isNamed, state, reported, saidPaid, settled, returned, handled } = before;
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
    saidPaid: own.saidPaid || saidPaid,
  });
}

/** True if the decision lets the workflow continue, so that its wait is over. A workflow that gives up ends instead. */
const endsWait = ({ decision, result }: DecisionFact): boolean =>
  decision === 'retry' || (decision === 'adopt' && result === 'applied');

function withoutWait({ awaitsSince: _over, ...claim }: KnownClaim): KnownClaim {
  return claim;
}

/**
 * Ends the claim's wait for a decision at an event that shows that the wait is over: the workflow opened, polled or cancelled a
 * session, or ended. An event from before the wait, recorded late, ends the wait only if it is an adoption.
 */
function unlessAwaiting(claim: KnownClaim, { at }: Pick<LedgerFact, 'at'>, isNamed = false): KnownClaim {
  const { awaitsSince } = claim;
  const isOver = awaitsSince !== undefined && (isNamed || at >= awaitsSince);
  return isOver ? withoutWait(claim) : claim;
}

/** True if the workflow ended without a session: the end says nothing about a session that turns up later. */
const isSessionless = ({ leftNothing, withoutSession }: LedgerEnd): boolean =>
  leftNothing || withoutSession === true;

/** True for the state of a session that was cancelled before it was created. */
export const isBeforeCreate = ({ source, number }: StateFact): boolean => source === 'cancel' && number === 1;

/**
 * Drops an end without a session, with any wait for a decision, and the state of a session that was cancelled before it was created. The
 * claim has a session despite them, because the workflow was reset, or because a lost create request has made one.
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

/** Drops a claim's session: another claim has taken it over, or the claim has another session now. */
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
      // A park that was recorded late is over if the session was created since.
      return claim.opened !== undefined && claim.opened.at >= fact.at
        ? claim
        : { ...reopened(claim, fact), awaitsSince: fact.at };
    case 'decision':
      return endsWait(fact) ? withoutWait(claim) : claim;
    // A session is one payment, whose money moves once each way.
    case 'settled':
      return { settled: fact, ...claim };
    case 'returned':
      return { returned: fact, ...claim };
    case 'handled':
      return claim.returned === undefined ? claim : { handled: fact, ...claim };
    case 'ended':
      // A workflow that was reset, or whose last step was refused, ends a second time. The later end counts, in whatever order they
      // are recorded.
      if (isUndone(claim, fact)) return claim;
      // This end is not the end of the claim's session, but it ends the wait.
      if (isSessionless(fact) && claim.opened !== undefined) return unlessAwaiting(claim, fact);
      return { ...claim, ended: fact, saidPaid: claim.saidPaid || fact.paid };
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

/** Adds a state. Of two states with the same number, the one recorded later counts. */
function seen(claim: KnownClaim, fact: StateFact): KnownClaim {
  const { state, reported, claimed } = claim;
  const { number, amount } = fact;
  const isLast = number >= (state?.number ?? 0);
  const isLastAmount = amount !== undefined && number >= (reported?.number ?? 0);
  return {
    ...(fact.source === 'create' ? claim : unlessAwaiting(claim, fact)),
    ...(isLast && { state: fact }),
    ...(isLastAmount && { reported: { number, amount } }),
    saidPaid: claim.saidPaid || isPaid(claimed.sessionKind, fact),
  };
}

/** True if the claim certainly never had a session, so that it does not keep others from the key. */
export const isFree = ({ ended, opened, lostCreates, settled, returned }: KnownClaim): boolean =>
  ended?.leftNothing === true &&
  opened === undefined &&
  lostCreates === 0 &&
  settled === undefined &&
  returned === undefined;

/**
 * Returns the claim that answers for the key, or `undefined` if the key has none. It is one of the claims that keep others from the key, or
 * of all claims if none does. Among these, it is the claim whose workflow got the key last. A claim aside answers only if all of these are
 * aside.
 */
export function standingClaim(claims: readonly KnownClaim[]): KnownClaim | undefined {
  const taken = claims.filter((claim) => !isFree(claim) && claim.takenOverBy === undefined);
  const choice = taken.length > 0 ? taken : claims;
  return choice.reduce<KnownClaim | undefined>(
    (one, other) => (one === undefined || other.grant >= one.grant ? other : one),
    undefined,
  );
}

/**
 * A session, and the number of the other create requests of its key that have an unknown outcome. The number is 0 if a person named the
 * session.
 */
export interface FoundSession {
  readonly opened: Opened;
  readonly lostCreates: number;
}

/**
 * Returns the session of the claim, or else of the claim from which it took the key over: that session was not known at the time.
 * Returns `undefined` if neither has one.
 */
export function sessionOf(claims: readonly KnownClaim[], claim: KnownClaim): FoundSession | undefined {
  const { opened, lostCreates, number } = claim;
  if (opened !== undefined) return { opened, lostCreates: claim.isNamed ? 0 : lostCreates };
  const before = claims.find(({ takenOverBy }) => takenOverBy === number);
  const found = before && sessionOf(claims, before);
  // The take-over has counted a create request that may have been sent. It was the request of this session.
  return found && { ...found, lostCreates: before.isNamed ? 0 : lostCreates - 1 };
}

/** True if the claim is paid, by its end or else by its last state (contract A46, A56). */
export const isClaimPaid = ({ ended, state, claimed }: KnownClaim): boolean =>
  ended?.paid ?? isPaid(claimed.sessionKind, { ...state });

/**
 * Returns the amount in dollars if it is known: that of the session's end, else that of the last state that reported one, else that
 * of the request.
 */
export const amountOf = ({ ended, reported, claimed }: KnownClaim): number | undefined =>
  ended?.amount ?? reported?.amount ?? claimed.amount;

/** True if the payor may still enter or change the amount. A completed session has its last amount. */
export const isAmountOpen = ({ claimed, ended, state }: KnownClaim): boolean =>
  claimed.amountOpen === true && (ended?.status ?? state?.status) !== 'Completed';

/** The statuses after which no money moves. */
const UNPAID: readonly string[] = ['Failed', 'Cancelled', 'Expired'];

/**
 * True if the claim's money may have moved, or may still move. False if its session has ended unpaid, or certainly never existed.
 * Money may still move after an end that could not be verified, that lacks a signature, or that has no session after a lost create request.
 */
export function mayBePaid(claim: KnownClaim): boolean {
  const { opened, ended, state, settled, returned } = claim;
  if (settled !== undefined || returned !== undefined) return true;
  if (opened === undefined) return !isFree(claim);
  return !UNPAID.includes(ended?.status ?? state?.status ?? '');
}

/** A session that a person has named is assumed to be at most this much older than the claim. */
const NAMED_OLDER_BY_MS = 366 * 86_400_000;

/**
 * Returns the time before which the claim's money cannot have moved; ISO 8601, UTC. The claim's session may come from an earlier claim,
 * even from one that the ledger has lost.
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
