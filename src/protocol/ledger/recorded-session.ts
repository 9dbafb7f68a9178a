/** A session as the ledger tells it, for which nobody else can be asked: pure. */
import { isPaid } from '../../contract/paid';
import type { SessionRequest } from '../../contract/session-request';
import { rowOf } from '../../errors/codes';
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
import { amountOf, lastClaim, type KnownClaim } from './last-claim';

/** What the ledger knows of a session. What is personal is absent where it has been erased. */
export interface RecordedSession extends FailureDetails {
  readonly account: string;
  readonly request?: SessionRequest;
  /** `failed`: its workflow failed. `open`: no end stands in the ledger; the phase is the last that is known. */
  readonly outcome: 'ended' | 'failed' | 'open';
  /** Only where it has `ended`. */
  readonly result?: SessionResult;
}

/** Reads all facts of a key, the first first; its newest claim counts. `undefined` where nobody has claimed it. */
export function recordedSession(key: string, facts: readonly LedgerFact[]): RecordedSession | undefined {
  const known = lastClaim(facts);
  if (known === undefined) return undefined;
  const { claimed, ended } = known;
  const { account, request } = claimed;
  const result = ended?.result;
  const states = inOrder(known.facts.filter((fact) => fact.kind === 'state'));
  return {
    account,
    ...(request !== undefined && { request }),
    outcome: ended === undefined ? 'open' : ended.failure === undefined ? 'ended' : 'failed',
    ...(result !== undefined && { result }),
    ...(result === undefined
      ? { state: stateOf(key, known, states.at(-1)), stateHistory: states.map(seenAs) }
      : endedWith(result)),
  };
}

/** The state without the result, which is absent as long as there is no end, after a failure, and once it has been erased. */
function stateOf(key: string, known: KnownClaim, last: OfKind<'state'> | undefined): SessionState {
  const { claimed, opened, ended, facts } = known;
  const { sessionKind: kind, request } = claimed;
  const { status, code } = ended?.status === undefined ? { ...last } : ended;
  const amount = amountOf(known);
  const cancel = cancelOf(facts);
  const failure = ended?.failure;
  const parks = byWorkflow(facts).flatMap((told) => inOrder(told.filter((fact) => fact.kind === 'parked')));
  return {
    phase: ended !== undefined ? 'ended' : opened !== undefined ? 'open' : phaseBefore(facts),
    key,
    kind,
    referenceId: request?.referenceId ?? claimed.referenceId ?? null,
    paid: ended?.paid ?? isPaid(kind, { ...last }),
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(opened !== undefined && { sessionId: opened.sessionId }),
    ...(amount !== undefined && { amount }),
    ...(cancel !== undefined && { cancel }),
    // A code of a later version has no meaning here.
    ...(failure !== undefined && { failure: { code: failure, message: rowOf(failure)?.meaning ?? failure } }),
    anomalies: byWorkflow(facts)
      .flatMap((told) => inOrder(told.filter((fact) => fact.kind === 'anomaly')))
      .map(anomalyOf),
    decisions: byWorkflow(facts)
      .flatMap((told) => inOrder(told.filter((fact) => fact.kind === 'decision')))
      .map(decisionOf),
    ...(parks.length > 0 && { parks: parks.map(parkOf) }),
  };
}

/** The phase of a session that has not been opened: a retry ends the wait for a decision, and so does a workflow that takes it over. */
function phaseBefore(facts: readonly LedgerFact[]): SessionState['phase'] {
  const isRetry = (fact: LedgerFact) => fact.kind === 'decision' && fact.decision === 'retry';
  const isStep = (fact: LedgerFact) => fact.kind === 'claimed' || fact.kind === 'parked' || isRetry(fact);
  const last = facts.filter(isStep).at(-1);
  return last?.kind === 'parked' ? 'parked' : 'creating';
}

type OfKind<Kind extends LedgerFact['kind']> = Extract<LedgerFact, { kind: Kind }>;

/** The facts that each of the workflows has told that the session has had: each counts its own from 1. */
function byWorkflow(facts: readonly LedgerFact[]): readonly (readonly LedgerFact[])[] {
  const told: LedgerFact[][] = [];
  for (const fact of facts) {
    if (fact.kind === 'claimed') told.push([]);
    else told.at(-1)?.push(fact);
  }
  return told;
}

type Numbered = OfKind<'state' | 'parked' | 'decision' | 'anomaly'>;

/**
 * Numbered facts, in the order of their numbers; of two in one place, the later one counts. What a lost step has told of a create keeps
 * the number that it had there, which another decision may have by now.
 */
function inOrder<Fact extends Numbered>(facts: readonly Fact[]): readonly Fact[] {
  const placeOf = (fact: Numbered) =>
    fact.kind === 'decision' && isAboutCreate(fact) ? `create ${fact.number}` : fact.number;
  const inPlace = new Map(facts.map((fact) => [placeOf(fact), fact]));
  return [...inPlace.values()].sort((one, other) => one.number - other.number);
}

function seenAs({
  kind: _kind,
  number: _number,
  amount: _amount,
  at,
  ...state
}: OfKind<'state'>): StateHistoryEntry {
  return { ...state, firstSeenAt: at };
}

/** What was decided, as a session's state has it. */
export const decisionOf = ({ kind: _kind, number: _number, ...decision }: OfKind<'decision'>): Decision =>
  decision;

const parkOf = ({ kind: _kind, number: _number, ...park }: OfKind<'parked'>): Park => park;

const anomalyOf = ({ anomaly: kind, detail = 'erased', at }: OfKind<'anomaly'>): Anomaly => ({
  kind,
  detail,
  at,
});

function cancelOf(facts: readonly LedgerFact[]): CancelRecord | undefined {
  const last = facts.filter((fact) => fact.kind === 'cancel').at(-1);
  if (last === undefined) return undefined;
  const { at: requestedAt, by, outcome } = last;
  return { requestedAt, by, ...(outcome !== undefined && { outcome }) };
}
