/** Computes the facts that a session's workflow and activities record in the ledger. Pure. */
import { isAnotherState, read } from '../../contract/reports';
import { createdState, type SessionKind, type SessionSnapshot } from '../../contract/statuses';
import { defined } from '../../contract/values/json';
import type { ErrorCode } from '../../errors/codes';
import type { KeyClaim, LedgerPlace } from '../activities';
import { wasNeverCreated } from '../state/ended';
import { isAboutCreate, type Decision, type Park, type StateSource } from '../state/recorded';
import type { FailureDetails, SessionResult, SessionState } from '../state/session';
import type { DecisionFact, LedgerFact, ParkedFact } from './facts';

/** The end of a session, as its workflow reports it to the ledger. */
export type ToldEnd = KeyClaim &
  (
    | { readonly result: SessionResult }
    | ({ readonly failure: ErrorCode } & Pick<FailureDetails, 'state' | 'stateHistory'>)
  );

/** A session's waits for a decision (parks) and the decisions about them, as its workflow reports them to the ledger. */
export interface ToldParking extends KeyClaim {
  readonly facts: readonly (ParkedFact | DecisionFact)[];
}

/** The part of a session's state from which facts are computed. */
type KnownOfSession = Pick<SessionState, 'sessionId' | 'cancel' | 'parks' | 'decisions' | 'anomalies'> &
  Pick<FailureDetails, 'stateHistory'>;

/** The time of a report, and the call that showed it. */
export interface Sighting {
  readonly source: StateSource;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Returns the facts about a session that has just been created. */
export function createdFacts(kind: SessionKind, sessionId: string, at: string): readonly LedgerFact[] {
  return [
    { kind: 'opened', at, sessionId, how: 'create' },
    { kind: 'state', at, number: 1, ...createdState(kind), source: 'create' },
  ];
}

/**
 * Returns the new state that a report shows. Returns nothing if the state is already known, or goes backwards. If only the amount has
 * changed, returns nothing, and the next new state has the amount.
 */
export function newState(
  { known, states }: LedgerPlace,
  reported: SessionSnapshot,
  { source, at }: Sighting,
): readonly LedgerFact[] {
  const { state, amount, isBackward } = read(known, reported);
  if (isBackward || !isAnotherState(known, state)) return [];
  const { status, code, unreadableCode } = state;
  return [
    {
      kind: 'state',
      at,
      number: states + 1,
      status,
      ...defined({ code, unreadableCode, amount }),
      source,
    },
  ];
}

/** A session's parks and decisions, oldest first. */
type Parking = Pick<SessionState, 'parks' | 'decisions'>;

/** Returns the parks that are new since the state `before`, and the decisions about them. */
export function newParking(before: Parking, now: Parking): readonly (ParkedFact | DecisionFact)[] {
  const decided = decisionFacts(now.decisions).slice(before.decisions.length);
  return [
    // All other decisions are recorded with the session's end, because some stay pending for a while.
    ...decided.filter(isAboutCreate),
    ...parkedFacts(now.parks).slice(before.parks?.length ?? 0),
  ];
}

const parkedFacts = (parks: readonly Park[] = []): readonly ParkedFact[] =>
  parks.map((park, index) => ({ kind: 'parked', number: index + 1, ...park }));

const decisionFacts = (decisions: readonly Decision[]): readonly DecisionFact[] =>
  decisions.map((decision, index) => ({ kind: 'decision', number: index + 1, ...decision }));

/** Returns all facts that a session's workflow knows at its end: the facts of `knownFacts`, then the end. */
export function endFacts(end: ToldEnd, at: string): readonly LedgerFact[] {
  const session = 'result' in end ? end.result : { ...end.state, stateHistory: end.stateHistory };
  return [...knownFacts(session, at), endOf(end, at)];
}

/** Returns all facts that a session's workflow knows: the opening first, then all others, oldest first. */
export function knownFacts(session: KnownOfSession, at: string): readonly LedgerFact[] {
  const { sessionId, stateHistory, cancel, parks, decisions, anomalies } = session;
  const [first] = stateHistory;
  const facts: LedgerFact[] = [
    ...stateHistory.map(({ firstSeenAt, ...state }, index): LedgerFact => {
      return { kind: 'state', at: firstSeenAt, number: index + 1, ...state };
    }),
    ...parkedFacts(parks),
    ...decisionFacts(decisions),
    ...anomalies.map(({ kind: anomaly, detail, at: seenAt }, index): LedgerFact => {
      return { kind: 'anomaly', at: seenAt, number: index + 1, anomaly, detail };
    }),
  ];
  if (cancel !== undefined) {
    const { requestedAt, by, outcome } = cancel;
    facts.push({ kind: 'cancel', at: requestedAt, by, ...defined({ outcome }) });
  }
  const inOrder = facts.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  const isAdopted = decisions.some(({ decision, result }) => decision === 'adopt' && result === 'applied');
  const how = isAdopted ? 'adopt' : 'create';
  const opened: LedgerFact[] =
    sessionId === undefined ? [] : [{ kind: 'opened', at: first?.firstSeenAt ?? at, sessionId, how }];
  return [...opened, ...inOrder];
}

function endOf(end: ToldEnd, at: string): LedgerFact {
  const { firstRunId } = end;
  if ('result' in end) {
    const { result } = end;
    const { paid, status, code, amount } = result;
    const isFree = wasNeverCreated({ result });
    const how = { paid, status, ...defined({ code, amount }) };
    return { kind: 'ended', at, firstRunId, ...how, leftNothing: isFree, ...sessionless(result), result };
  }
  const { failure, state, stateHistory } = end;
  const isFree = wasNeverCreated({ failure, details: { state, stateHistory } });
  return {
    kind: 'ended',
    at,
    firstRunId,
    paid: false,
    failure,
    leftNothing: isFree,
    ...sessionless(state),
  };
}

const sessionless = ({ sessionId }: Pick<SessionState, 'sessionId'>) =>
  sessionId === undefined && ({ withoutSession: true } as const);
