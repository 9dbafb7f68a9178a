/**
 * The state machine of a payment session: everything it knows, and what each observation changes. Pure; the rule for
 * each edge of a session's life is here and nowhere else.
 */
import { isSessionCode, isSessionStatus } from '../src/contract/statuses';
import { withKnownCode, type SessionSnapshot } from '../src/contract/snapshot';
import type {
  Anomaly,
  CancelOutcome,
  CancelRecord,
  SessionFailure,
  SessionPhase,
  StateHistoryEntry,
  StateSource,
} from './protocol';

/** Everything a session knows; carried as it is when the workflow continues as new. Times are epoch milliseconds. */
export interface SessionRecord {
  /** When the overall deadline's time began: the start, or the decision about a parked create. */
  readonly deadlineFromMs: number;
  /** When the session was opened or its state last changed. */
  readonly changedAtMs: number;
  /** Whether a create's unknown outcome waits for `resolveCreate`. */
  readonly parked: boolean;
  readonly ended: boolean;
  /** Creates that were given up with an unknown outcome: each may have left a session at the service. */
  readonly possibleOrphans: number;
  readonly sessionId?: string;
  readonly checkoutUrl?: string;
  readonly status?: string;
  readonly code?: string;
  readonly amount?: number;
  readonly cancel?: CancelRecord;
  readonly unsigned?: true;
  readonly trouble?: SessionFailure;
  readonly stateHistory: readonly StateHistoryEntry[];
  readonly anomalies: readonly Anomaly[];
}

/** Something that happened to the session. */
export type Observation =
  | {
      readonly type: 'created';
      readonly sessionId: string;
      readonly checkoutUrl: string;
      readonly hasCode: boolean;
    }
  /** A person named the session that a lost create had made. */
  | {
      readonly type: 'adopted';
      readonly sessionId: string;
      readonly checkoutUrl: string;
      readonly snapshot: SessionSnapshot;
    }
  | { readonly type: 'createParked' }
  | { readonly type: 'createUnparked' }
  | { readonly type: 'possibleOrphan'; readonly detail: string }
  | { readonly type: 'seen'; readonly snapshot: SessionSnapshot; readonly source: StateSource }
  | { readonly type: 'callFailed'; readonly failure: SessionFailure }
  | { readonly type: 'cancelRequested'; readonly by: CancelRecord['by'] }
  | { readonly type: 'cancelledBeforeCreate' }
  | { readonly type: 'signatureDeadlinePassed' };

const MAX_STATES = 200;
const MAX_ANOMALIES = 50;

/** @param amount dollars, where the request presets it */
export function newRecord(nowMs: number, amount?: number | null): SessionRecord {
  const bare = {
    deadlineFromMs: nowMs,
    changedAtMs: nowMs,
    parked: false,
    ended: false,
    possibleOrphans: 0,
    stateHistory: [],
    anomalies: [],
  };
  return amount == null ? bare : { ...bare, amount };
}

/** The record after an observation made at `nowMs`. An ended record no longer changes. */
export function next(record: SessionRecord, observation: Observation, nowMs: number): SessionRecord {
  if (record.ended) return record;
  const changed = change(record, observation, nowMs);
  return changed.ended ? withoutTrouble(changed) : changed;
}

function change(record: SessionRecord, observation: Observation, nowMs: number): SessionRecord {
  switch (observation.type) {
    case 'created':
      return created(record, observation, nowMs);
    case 'adopted':
      return adopted(record, observation, nowMs);
    case 'createParked':
      return { ...record, parked: true };
    case 'createUnparked':
      return unparked(record, nowMs);
    case 'possibleOrphan':
      return withAnomaly(
        { ...record, possibleOrphans: record.possibleOrphans + 1 },
        'possibleOrphan',
        observation.detail,
        nowMs,
      );
    case 'seen':
      return seen(withoutTrouble(record), observation.snapshot, observation.source, nowMs);
    case 'callFailed':
      return callFailed(record, observation.failure, nowMs);
    case 'cancelRequested':
      return cancelRequested(record, observation.by, nowMs);
    case 'cancelledBeforeCreate':
      return settleCancel(
        withState({ ...record, parked: false, ended: true }, 'Cancelled', undefined, 'cancel', nowMs),
      );
    case 'signatureDeadlinePassed':
      return { ...record, ended: true, unsigned: true };
  }
}

/** Where the record stands in a session's life. */
export function phaseOf(record: SessionRecord): SessionPhase {
  if (record.ended) return 'ended';
  if (record.parked) return 'parked';
  if (record.sessionId === undefined) return 'creating';
  return cancelPending(record) ? 'cancelling' : 'open';
}

/** Whether a cancel was asked for and the service has not settled it yet. */
export function cancelPending(record: SessionRecord): boolean {
  return record.cancel !== undefined && record.cancel.outcome === undefined;
}

/** `Completed`/`EFT0302`: the bank account is validated, the PAD agreement is not signed yet (contract A56). */
export function awaitsSignature(state: { readonly status?: string; readonly code?: string }): boolean {
  return state.status === 'Completed' && state.code === 'EFT0302';
}

/** When the bank account was first seen validated, the start of the wait for the PAD signature. */
export function validatedAtMs(record: SessionRecord): number | undefined {
  const validated = record.stateHistory.find(awaitsSignature);
  return validated === undefined ? undefined : Date.parse(validated.firstSeenAt);
}

function created(
  record: SessionRecord,
  { sessionId, checkoutUrl, hasCode }: Extract<Observation, { type: 'created' }>,
  nowMs: number,
): SessionRecord {
  const opened = { ...withoutTrouble(record), parked: false, sessionId, checkoutUrl };
  return withState(opened, 'Initiated', hasCode ? 'EFT0101' : undefined, 'create', nowMs);
}

/** The session is what the service says it is by now: nobody saw it begin. */
function adopted(
  record: SessionRecord,
  { sessionId, checkoutUrl, snapshot }: Extract<Observation, { type: 'adopted' }>,
  nowMs: number,
): SessionRecord {
  const opened = { ...unparked(withoutTrouble(record), nowMs), sessionId, checkoutUrl };
  return seen(opened, snapshot, 'poll', nowMs);
}

/** The wait for a person's decision is not held against the session. */
function unparked(record: SessionRecord, nowMs: number): SessionRecord {
  return { ...record, parked: false, deadlineFromMs: nowMs };
}

function seen(
  record: SessionRecord,
  reported: SessionSnapshot,
  source: StateSource,
  nowMs: number,
): SessionRecord {
  const snapshot = withKnownCode(record, reported);
  if (goesBackwards(record, snapshot)) {
    const change = `${describe(record)} to ${describe(snapshot)}`;
    return withAnomalyOnce(record, 'backwardStatus', change, nowMs);
  }
  const withAmount = snapshot.amount === undefined ? record : { ...record, amount: snapshot.amount };
  const changed = snapshot.status !== record.status || snapshot.code !== record.code;
  const moved = changed
    ? flagUnknown(withState(withAmount, snapshot.status, snapshot.code, source, nowMs), nowMs)
    : withAmount;
  return isEnd(snapshot) ? settleCancel({ ...moved, ended: true }) : settleLostCancel(moved);
}

/** Known statuses only go up, past whatever was ever seen; a status that is not known goes anywhere (contract A58). */
function goesBackwards(record: SessionRecord, snapshot: SessionSnapshot): boolean {
  return isSessionStatus(snapshot.status) && rank(snapshot) < Math.max(0, ...record.stateHistory.map(rank));
}

function rank(state: { readonly status: string; readonly code?: string }): number {
  if (!isSessionStatus(state.status) || state.status === 'Initiated') return 0;
  return awaitsSignature(state) ? 1 : 2;
}

/** The four final statuses end a session, but for a PAD signature still awaited; a status that is not known does not. */
function isEnd(snapshot: SessionSnapshot): boolean {
  return isSessionStatus(snapshot.status) && snapshot.status !== 'Initiated' && !awaitsSignature(snapshot);
}

function flagUnknown(record: SessionRecord, nowMs: number): SessionRecord {
  const { status, code } = record;
  const flagged =
    status === undefined || isSessionStatus(status)
      ? record
      : withAnomalyOnce(record, 'unknownStatus', status, nowMs);
  return code === undefined || isSessionCode(code)
    ? flagged
    : withAnomalyOnce(flagged, 'unknownCode', code, nowMs);
}

function callFailed(record: SessionRecord, failure: SessionFailure, nowMs: number): SessionRecord {
  const troubled = { ...record, trouble: { code: failure.code, message: failure.message } };
  return failure.code === 'SERVICE_SESSION_UNKNOWN'
    ? withAnomalyOnce(troubled, 'sessionUnknown', failure.message, nowMs)
    : troubled;
}

function cancelRequested(record: SessionRecord, by: CancelRecord['by'], nowMs: number): SessionRecord {
  if (cancelPending(record)) return record;
  return { ...record, cancel: { requestedAt: toIso(nowMs), by } };
}

/** The end of the session settles a pending cancel: the service's word is the truth. */
function settleCancel(record: SessionRecord): SessionRecord {
  if (record.cancel === undefined || !cancelPending(record)) return record;
  return { ...record, cancel: { ...record.cancel, outcome: outcomeOf(record) } };
}

/** A session that awaits the PAD signature counts as completed for a cancel (contract A55); it is followed on. */
function settleLostCancel(record: SessionRecord): SessionRecord {
  return awaitsSignature(record) ? settleCancel(record) : record;
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

function withState(
  record: SessionRecord,
  status: string,
  code: string | undefined,
  source: StateSource,
  nowMs: number,
): SessionRecord {
  const { code: previous, ...rest } = record;
  const state = { status, ...(code !== undefined && { code }) };
  const moved = { ...rest, ...state, changedAtMs: nowMs };
  if (record.stateHistory.length >= MAX_STATES) {
    return withAnomalyOnce(moved, 'recordFull', `only the first ${MAX_STATES} states are kept`, nowMs);
  }
  return {
    ...moved,
    stateHistory: [...record.stateHistory, { ...state, firstSeenAt: toIso(nowMs), source }],
  };
}

function withAnomalyOnce(
  record: SessionRecord,
  kind: Anomaly['kind'],
  detail: string,
  nowMs: number,
): SessionRecord {
  const isRecorded = record.anomalies.some((anomaly) => anomaly.kind === kind && anomaly.detail === detail);
  return isRecorded ? record : withAnomaly(record, kind, detail, nowMs);
}

function withAnomaly(
  record: SessionRecord,
  kind: Anomaly['kind'],
  detail: string,
  nowMs: number,
): SessionRecord {
  if (record.anomalies.length > MAX_ANOMALIES) return record;
  const full = record.anomalies.length === MAX_ANOMALIES;
  const anomaly: Anomaly = full
    ? { kind: 'recordFull', detail: `only the first ${MAX_ANOMALIES} anomalies are kept`, at: toIso(nowMs) }
    : { kind, detail, at: toIso(nowMs) };
  return { ...record, anomalies: [...record.anomalies, anomaly] };
}

function withoutTrouble(record: SessionRecord): SessionRecord {
  const { trouble, ...rest } = record;
  return rest;
}

function describe(state: { readonly status?: string; readonly code?: string }): string {
  return [state.status ?? 'nothing', state.code].filter((part) => part !== undefined).join('/');
}

const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();
