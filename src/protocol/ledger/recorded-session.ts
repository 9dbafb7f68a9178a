/** Restores a session's state from the ledger's entries. Pure. */
import { defined } from '../../contract/values/json';
import type { SessionRequest } from '../../contract/session-request';
import { rowOf } from '../../errors/codes';
import type { Metadata } from '../metadata';
import { endedWith } from '../state/ended';
import {
  isAboutCreate,
  type Anomaly,
  type CancelRecord,
  type Decision,
  type Park,
  type StateHistoryEntry,
} from '../state/recorded';
import type { FailureDetails, SessionResult, SessionState } from '../state/session';
import type { LedgerFact } from './facts';
import {
  amountOf,
  claimsOf,
  isBeforeCreate,
  isClaimPaid,
  standingClaim,
  type ClaimFact,
  type KnownClaim,
} from './fold';

/** The ledger's record of a session. Personal data is absent if it has been erased, or if the entries were read without personal data. */
export interface RecordedSession extends FailureDetails {
  readonly account: string;
  readonly request?: SessionRequest;
  /**
   * The session's metadata. If the entries were read without personal data, only the searchable metadata. Absent if there are none, or if
   * they have been erased.
   */
  readonly metadata?: Metadata;
  /** `failed`: the session's workflow failed. `open`: the ledger has no end of the session, and `state` is the last recorded state. */
  readonly outcome: 'ended' | 'failed' | 'open';
  /** The result. Only with the outcome `ended`. Absent if it has been erased, or if the entries were read without personal data. */
  readonly result?: SessionResult;
}

/**
 * Returns the session of the claim with the given number, or by default of the key's standing claim (see `standingClaim`). Returns
 * `undefined` if there is no such claim.
 *
 * @param entries the entries of the key, oldest first
 */
export function recordedSession(
  key: string,
  entries: readonly ClaimFact[],
  number?: number,
): RecordedSession | undefined {
  const claims = claimsOf(entries);
  const claim = number === undefined ? standingClaim(claims) : claims[number - 1];
  if (claim === undefined) return undefined;
  const byClaim = factsByClaim(claims, claim, entries);
  const { claimed, ended } = claim;
  const { account, request, metadata } = claimed;
  const result = ended?.result;
  // If a session turned up after the cancel of an uncreated session, the state of that cancel is not the session's
  // state.
  const isOfSession = (fact: OfKind<'state'>) => claim.opened === undefined || !isBeforeCreate(fact);
  const states = byClaim.flatMap((own) =>
    inOrder(own.filter((fact) => fact.kind === 'state').filter(isOfSession)),
  );
  return {
    account,
    ...defined({ request, metadata }),
    outcome: ended === undefined ? 'open' : ended.failure === undefined ? 'ended' : 'failed',
    ...(result !== undefined && { result }),
    ...(result === undefined
      ? { state: stateOf(key, claim, byClaim), stateHistory: states.map(seenAs) }
      : endedWith(result)),
  };
}

/**
 * Returns the facts of a claim. They follow the facts of earlier claims with the same request, from which the claim has taken the key
 * over.
 */
function factsByClaim(
  claims: readonly KnownClaim[],
  claim: KnownClaim,
  entries: readonly ClaimFact[],
): readonly (readonly LedgerFact[])[] {
  const before = claims
    .filter(
      ({ takenOverBy, claimed }) =>
        takenOverBy === claim.number && claimed.fingerprint === claim.claimed.fingerprint,
    )
    .flatMap((one) => factsByClaim(claims, one, entries));
  return [...before, entries.filter((entry) => entry.claim === claim.number).map(({ fact }) => fact)];
}

/**
 * Returns the state of a claim whose result is not known: the claim has no end, its workflow failed, or the result was erased or not read.
 */
function stateOf(key: string, claim: KnownClaim, byClaim: readonly (readonly LedgerFact[])[]): SessionState {
  const { claimed, opened, ended, state } = claim;
  const { sessionKind: kind, request } = claimed;
  const { status, code } = ended?.status === undefined ? { ...state } : ended;
  const amount = amountOf(claim);
  const cancel = cancelOf(byClaim.flat(), claim);
  const failure = ended?.failure;
  const parks = byClaim.flatMap((own) => inOrder(own.filter((fact) => fact.kind === 'parked')));
  return {
    phase:
      ended !== undefined
        ? 'ended'
        : claim.awaitsSince !== undefined
          ? 'parked'
          : opened !== undefined
            ? 'open'
            : 'creating',
    key,
    kind,
    referenceId: request?.referenceId ?? claimed.referenceId ?? null,
    paid: isClaimPaid(claim),
    ...defined({ status, code, sessionId: opened?.sessionId, amount, cancel }),
    // This version may not know the code, if a later version recorded it.
    ...(failure !== undefined && { failure: { code: failure, message: rowOf(failure)?.meaning ?? failure } }),
    anomalies: byClaim
      .flatMap((own) => inOrder(own.filter((fact) => fact.kind === 'anomaly')))
      .map(anomalyOf),
    decisions: byClaim
      .flatMap((own) => inOrder(own.filter((fact) => fact.kind === 'decision')))
      .map(decisionOf),
    ...(parks.length > 0 && { parks: parks.map(parkOf) }),
  };
}

type OfKind<Kind extends LedgerFact['kind']> = Extract<LedgerFact, { kind: Kind }>;

type Numbered = OfKind<'state' | 'parked' | 'decision' | 'anomaly'>;

/**
 * Returns numbered facts in the order of their numbers. Of two facts with the same number, the later recorded fact counts. Decisions about
 * create requests are numbered separately from other decisions: a workflow step that was lost may have recorded such a decision under a
 * number that another kind of decision now has.
 */
function inOrder<Fact extends Numbered>(facts: readonly Fact[]): readonly Fact[] {
  const placeOf = (fact: Numbered) =>
    fact.kind === 'decision' && isAboutCreate(fact) ? `create ${fact.number}` : fact.number;
  const inPlace = new Map(facts.map((fact) => [placeOf(fact), fact]));
  return [...inPlace.values()].sort((one, other) => one.number - other.number);
}

function seenAs(fact: OfKind<'state'>): StateHistoryEntry {
  const { kind: _kind, number: _number, amount: _amount, at, ...state } = fact;
  return { ...state, firstSeenAt: at };
}

/** Returns the decision in the form of a session's state. */
export const decisionOf = ({ kind: _kind, number: _number, ...decision }: OfKind<'decision'>): Decision =>
  decision;

const parkOf = ({ kind: _kind, number: _number, ...park }: OfKind<'parked'>): Park => park;

const anomalyOf = ({ anomaly: kind, detail = 'erased', at }: OfKind<'anomaly'>): Anomaly => ({
  kind,
  detail,
  at,
});

/** Returns the last cancellation that no reset has undone. */
function cancelOf(
  facts: readonly LedgerFact[],
  { undoneAt = '' }: Pick<KnownClaim, 'undoneAt'>,
): CancelRecord | undefined {
  const last = facts
    .filter((fact) => fact.kind === 'cancel')
    .filter(({ at }) => at > undoneAt)
    .at(-1);
  if (last === undefined) return undefined;
  const { kind: _kind, at: requestedAt, ...cancel } = last;
  return { requestedAt, ...cancel };
}
