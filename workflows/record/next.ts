/**
 * The state machine of a payment session: computes the effect of each observation on the session's record. An observation is
 * something that happened to the session. Within a run, only this module changes the record. Pure.
 */
import { defined } from '../../src/contract/values/json';
import {
  settleDecisions,
  withDecision,
  withPark,
  withResolution,
  isFull,
  withAnomaly,
  withAnomalyOnce,
} from './decisions';
import { rowOf } from '../../src/errors/codes';
import type { SessionFailure } from '../../src/errors/failures';
import { problemsOf } from '../../src/protocol/state/problems';
import type { CancelOutcome, CancelRecord, Decision, StateSource } from '../../src/protocol/state/recorded';
import type { SessionResult } from '../../src/protocol/state/session';
import { cancelPending, phaseOf, toIso, type Observation, type SessionRecord } from './session-record';
import {
  createdState,
  awaitsSignature,
  type KnownState,
  type SessionSnapshot,
} from '../../src/contract/statuses';
import { findingKey, isAnotherState, rankOf, read, type KnownReports } from '../../src/contract/reports';

/** Returns the record after an observation at `nowMs`. The record of an ended session never changes. */
export function next(record: SessionRecord, observation: Observation, nowMs: number): SessionRecord {
  if (record.ended) return record;
  const changed = change(record, observation, nowMs);
  const kept = changed.ended ? closed(changed) : changed;
  return shown(kept) === shown(record) ? kept : { ...kept, revision: record.revision + 1 };
}

/**
 * Returns the visible part of a record, as text. If this part changes, the revision grows, and callers that wait for a change
 * get an answer. Calls to the service may fail repeatedly, so a failed call is a visible change only if it adds an anomaly or
 * a problem.
 */
function shown(record: SessionRecord): string {
  const { status, code, unreadableCode, amount, cancel, unsigned, unverified, anomalies, decisions } = record;
  const phase = phaseOf(record);
  const problems = problemsOf({ ...record, phase });
  const results = decisions.map(({ result }) => result);
  const visible = [phase, status, code, unreadableCode, amount, cancel, unsigned, unverified, problems];
  return JSON.stringify([...visible, anomalies.length, results]);
}

function change(record: SessionRecord, observation: Observation, nowMs: number): SessionRecord {
  switch (observation.type) {
    case 'created':
      return created(record, observation, nowMs);
    case 'adopted':
      return adopted(record, observation, nowMs);
    case 'claimed':
      return { ...record, onLedger: true };
    case 'recorded':
      return recorded(record, observation.result);
    case 'failedBefore':
      // An earlier workflow of the key has failed. This one is about to fail, too.
      return { ...record, answeredByLedger: true };
    case 'createParked':
      // A parked session cannot be polled, so waiting refreshes get this error.
      return settleDecisions(withPark(record, observation, nowMs), 'refresh', {
        result: 'CREATE_OUTCOME_UNKNOWN',
      });
    case 'createUnparked':
      return unparked(record, nowMs);
    case 'answered':
      return { ...record, answered: [...record.answered, observation.updateId].slice(-MAX_ANSWERED) };
    case 'decided':
      return withDecision(record, observation.decision, nowMs);
    case 'createResolved':
      return withResolution(record, observation, nowMs);
    case 'refreshed':
      return settleDecisions(record, 'refresh', observation);
    case 'possibleOrphan': {
      const possibleOrphans = record.possibleOrphans + 1;
      const { why, sessionId } = observation;
      const named = sessionId === undefined ? '' : `, session ${sessionId}`;
      const detail = `create ${possibleOrphans}: ${why}${named}`;
      return withAnomaly({ ...record, possibleOrphans }, { kind: 'possibleOrphan', detail, nowMs });
    }
    case 'seen':
      return reported(record, observation, nowMs);
    case 'looksCrossed':
      // It is unknown which of two reports is newer. So no report so far counts for a deadline, and another poll must succeed.
      return { ...record, lookedAtMs: 0 };
    case 'callFailed':
      return callFailed(record, observation.failure, nowMs);
    case 'waits':
      return waits(record, observation.untilMs);
    case 'cancelRequested':
      return cancelRequested(record, observation.by, nowMs);
    case 'cancelledBeforeCreate':
      return cancelledBeforeCreate(record, nowMs);
    case 'signatureDeadlinePassed':
      return { ...record, ended: true, unsigned: true };
    case 'unclearDeadlinePassed':
      return { ...record, ended: true };
    case 'endedUnverified':
      // The last known state stays, although it may already be outdated.
      return { ...record, ended: true, unverified: true };
  }
}

function created(
  record: SessionRecord,
  { sessionId, checkoutUrl }: Extract<Observation, { type: 'created' }>,
  nowMs: number,
): SessionRecord {
  const opened = { ...withoutTrouble(record), parked: false, sessionId, checkoutUrl };
  return withState(opened, createdState(record.kind), { source: 'create', nowMs });
}

/** Adopts the session that a person named, in the state that the service reports. The session's earlier states are unknown. */
function adopted(
  record: SessionRecord,
  { sessionId, checkoutUrl, snapshot }: Extract<Observation, { type: 'adopted' }>,
  nowMs: number,
): SessionRecord {
  const opened = { ...unparked(withoutTrouble(record), nowMs), sessionId, checkoutUrl };
  return seen(opened, snapshot, { source: 'poll', nowMs });
}

/** Returns the record with the end that the ledger has for the key. If this workflow was asked to cancel, that came too late. */
function recorded(record: SessionRecord, result: SessionResult): SessionRecord {
  const { status, code, sessionId, checkoutUrl, amount, unsigned, unverified, stateHistory } = result;
  const late = record.cancel && { ...record.cancel, outcome: 'alreadyEnded' as const };
  const cancel = result.cancel ?? late;
  return {
    ...withoutTrouble(record),
    answeredByLedger: true,
    parked: false,
    ended: true,
    status,
    ...defined({ code, sessionId, checkoutUrl, amount, unsigned, unverified, cancel }),
    stateHistory,
    anomalies: [...result.anomalies, ...record.anomalies],
    decisions: [...result.decisions, ...record.decisions.map(tooLate)],
    ...defined({ parks: result.parks && [...result.parks, ...(record.parks ?? [])] }),
  };
}

const tooLate = (decision: Decision): Decision =>
  decision.result === 'pending' ? { ...decision, result: 'alreadyEnded' } : decision;

/**
 * Applies the report of a poll or a cancel. If the report ends the session, records the maximum delay with which the end was
 * detected, if it is known.
 */
function reported(
  record: SessionRecord,
  { snapshot, source, sinceLookMs, lookedAtMs }: Extract<Observation, { type: 'seen' }>,
  nowMs: number,
): SessionRecord {
  const atMs = tells(record, snapshot) ? (lookedAtMs ?? 0) : 0;
  // The service has answered, so calls are not failing any more.
  const answered = { ...withoutTrouble(record), lookedAtMs: Math.max(record.lookedAtMs, atMs) };
  const after = seen(answered, snapshot, { source, nowMs });
  return after.ended && sinceLookMs !== undefined ? { ...after, changeDelayMs: sinceLookMs } : after;
}

/** The maximum number of ids in `SessionRecord.answered`. Few are enough, because a caller repeats an update soon or never. */
const MAX_ANSWERED = 20;

/**
 * Ends the wait for a person's decision. The deadline counts again from now, because the session could do nothing during the
 * wait.
 */
function unparked(record: SessionRecord, nowMs: number): SessionRecord {
  return { ...record, parked: false, deadlineFromMs: nowMs };
}

function callFailed(record: SessionRecord, failure: SessionFailure, nowMs: number): SessionRecord {
  const { code, message: detail } = failure;
  const { since = toIso(nowMs), failures = 0 } = record.trouble ?? {};
  const troubled = { ...record, trouble: { code, message: detail, since, failures: failures + 1 } };
  const kind = rowOf(code)?.anomaly;
  return kind === undefined ? troubled : withAnomalyOnce(troubled, { kind, detail, nowMs });
}

/** Records the time until which a session in trouble waits. */
function waits(record: SessionRecord, untilMs: number): SessionRecord {
  const { trouble } = record;
  return trouble === undefined ? record : { ...record, trouble: { ...trouble, until: toIso(untilMs) } };
}

function cancelRequested(record: SessionRecord, by: CancelRecord['by'], nowMs: number): SessionRecord {
  if (cancelPending(record)) return record;
  return { ...record, cancel: { requestedAt: toIso(nowMs), by } };
}

function cancelledBeforeCreate(record: SessionRecord, nowMs: number): SessionRecord {
  const over = { ...record, parked: false, ended: true };
  return settleCancel(withState(over, { status: 'Cancelled' }, { source: 'cancel', nowMs }));
}

/** Completes an ended record: removes the trouble, and marks waiting refreshes as applied. */
function closed(record: SessionRecord): SessionRecord {
  return settleDecisions(withoutTrouble(record), 'refresh', { result: 'applied' });
}

function withoutTrouble(record: SessionRecord): SessionRecord {
  const { trouble, ...rest } = record;
  return rest;
}

const MAX_STATES = 200;

/** The call that showed a report, and the time of the report. */
interface Sighting {
  readonly source: StateSource;
  readonly nowMs: number;
}

/** Returns the facts that earlier reports have shown. Activities and this module compare each new report with them. */
export function knownReports(record: SessionRecord): KnownReports {
  const { kind, status, code, unreadableCode, amount, furthest } = record;
  return {
    kind,
    furthest,
    ...defined({ status, code, unreadableCode, amount }),
    ...(!isFull(record) && { findings: record.anomalies.map(findingKey) }),
  };
}

/** True if a report alone shows the session's state. Only such a report counts as a successful poll after a deadline. */
export const tells = (record: SessionRecord, reported: SessionSnapshot): boolean =>
  read(knownReports(record), reported).isSelfContained;

/**
 * Applies a report. If the report goes backwards, records only an anomaly. Also records an anomaly for anything that the
 * contract does not foresee.
 */
function seen(record: SessionRecord, reported: SessionSnapshot, sighting: Sighting): SessionRecord {
  const { state, amount, findings, isBackward } = read(knownReports(record), reported);
  const known = amount === undefined ? record : { ...record, amount };
  const moved = isAnotherState(known, state) ? withState(known, state, sighting) : known;
  const { nowMs } = sighting;
  const flagged = findings.reduce((all, finding) => withAnomalyOnce(all, { ...finding, nowMs }), moved);
  return isBackward ? flagged : settle(flagged);
}

/** Records a new state of the session. Adds it to the history of states, if the history is not full. */
function withState(
  record: SessionRecord,
  { status, code, unreadableCode }: Omit<SessionSnapshot, 'amount'>,
  { source, nowMs }: Sighting,
): SessionRecord {
  const { code: _code, unreadableCode: _unreadable, ...rest } = record;
  const state = { status, ...(code !== undefined && { code }), ...(unreadableCode && { unreadableCode }) };
  const moved = { ...rest, ...state, ...marksOf(record, state, nowMs), changedAtMs: nowMs };
  if (record.stateHistory.length >= MAX_STATES) {
    const detail = `only the first ${MAX_STATES} states are kept`;
    return withAnomalyOnce(moved, { kind: 'recordFull', detail, nowMs });
  }
  return {
    ...moved,
    stateHistory: [...record.stateHistory, { ...state, firstSeenAt: toIso(nowMs), source }],
  };
}

/**
 * Returns the values that later states do not reset: the highest rank that the session has reached, and the time at which a
 * worker first saw the bank account validated.
 */
function marksOf(
  { kind, furthest, validatedAtMs }: Pick<SessionRecord, 'kind' | 'furthest' | 'validatedAtMs'>,
  state: KnownState,
  nowMs: number,
): Pick<SessionRecord, 'furthest' | 'validatedAtMs'> {
  const validatedAt = validatedAtMs ?? (awaitsSignature({ ...state, kind }) ? nowMs : undefined);
  const rank = rankOf(kind, state);
  return {
    furthest: rank > furthest ? rank : furthest,
    ...(validatedAt !== undefined && { validatedAtMs: validatedAt }),
  };
}

/**
 * Ends a session that is `Failed`, `Cancelled` or `Expired`, or that is `Completed` and paid. Any other `Completed` session is
 * polled further. But it cannot be cancelled any more, so a pending cancel gets its outcome (contract rule A55,
 * docs/contract.md).
 */
function settle(record: SessionRecord): SessionRecord {
  switch (rankOf(record.kind, record)) {
    case 2:
      return settleCancel({ ...record, ended: true });
    case 1:
      return settleCancel(record);
    default:
      return record;
  }
}

/** If a cancel was requested, sets its outcome. If the session was created, the service's latest report decides. */
function settleCancel(record: SessionRecord): SessionRecord {
  if (record.cancel === undefined) return record;
  const outcome = outcomeOf(record);
  const settled = { ...record, cancel: { ...record.cancel, outcome } };
  return settleDecisions(settled, 'cancel', { result: outcome });
}

function outcomeOf(record: SessionRecord): CancelOutcome {
  if (record.sessionId === undefined) return record.possibleOrphans > 0 ? 'possiblyCreated' : 'neverCreated';
  switch (record.status) {
    case 'Completed':
      return 'lostToCompletion';
    case 'Failed':
      return 'lostToFailure';
    case 'Expired':
      return 'lostToExpiry';
    default:
      return 'cancelled';
  }
}
