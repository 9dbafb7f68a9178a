/** What a report of the service changes: pure. */
import { isPaid, isUnclear, type KnownState } from '../../src/contract/paid';
import { withKnownCode, type SessionSnapshot } from '../../src/contract/snapshot';
import { isSessionCode, isSessionStatus, SESSION_CODES } from '../../src/contract/statuses';
import { withAnomalyOnce } from './anomalies';
import { settleCancel } from './cancel-outcome';
import type { Anomaly, StateSource } from '../../src/protocol/recorded';
import { toIso, type SessionRecord } from './session-record';

const MAX_STATES = 200;

/** A report, and how and when it was learned. */
export interface Sighting {
  readonly source: StateSource;
  readonly nowMs: number;
}

/** Applies a report, unless it goes backwards; flags what the contract does not foresee. */
export function seen(record: SessionRecord, reported: SessionSnapshot, sighting: Sighting): SessionRecord {
  const { nowMs } = sighting;
  const snapshot = withKnownCode(record, reported);
  if (goesBackwards(record, snapshot)) {
    const detail = `${describe(record)} to ${describe(snapshot)}`;
    return withAnomalyOnce(record, { kind: 'backwardStatus', detail, nowMs });
  }
  const { unreadableCode: _unreadable, ...known } = record;
  const { amount = record.amount, unreadableCode } = snapshot;
  const current: SessionRecord = {
    ...known,
    ...(amount !== undefined && { amount }),
    ...(unreadableCode && { unreadableCode }),
  };
  const changed = snapshot.status !== record.status || snapshot.code !== record.code;
  const moved = changed ? withState(current, snapshot, sighting) : current;
  return settle(flag(moved, reported, nowMs));
}

/** Records a new state of the session, up to the bound. */
export function withState(
  record: SessionRecord,
  { status, code, unreadableCode }: Omit<SessionSnapshot, 'amount'>,
  { source, nowMs }: Sighting,
): SessionRecord {
  const { code: _previous, ...rest } = record;
  const state = { status, ...(code !== undefined && { code }), ...(unreadableCode && { unreadableCode }) };
  const moved = { ...rest, ...state, changedAtMs: nowMs };
  if (record.stateHistory.length >= MAX_STATES) {
    const detail = `only the first ${MAX_STATES} states are kept`;
    return withAnomalyOnce(moved, { kind: 'recordFull', detail, nowMs });
  }
  return {
    ...moved,
    stateHistory: [...record.stateHistory, { ...state, firstSeenAt: toIso(nowMs), source }],
  };
}

/** Known statuses only go up, past whatever was ever seen; a status that is not known goes anywhere (contract A58). */
function goesBackwards(record: SessionRecord, snapshot: SessionSnapshot): boolean {
  const rank = (state: KnownState) => rankOf(record, state);
  return isSessionStatus(snapshot.status) && rank(snapshot) < Math.max(0, ...record.stateHistory.map(rank));
}

function rankOf({ kind }: SessionRecord, state: KnownState): number {
  const { status } = state;
  if (status === undefined || !isSessionStatus(status) || status === 'Initiated') return 0;
  return status === 'Completed' && !isPaid(kind, state) ? 1 : 2;
}

/**
 * `Failed`, `Cancelled`, `Expired` and a `Completed` that is paid end a session. Every other `Completed` is followed on, and
 * counts as ended for a cancel alone (contract A55): the payor has done their part.
 */
function settle(record: SessionRecord): SessionRecord {
  switch (rankOf(record, record)) {
    case 2:
      return settleCancel({ ...record, ended: true });
    case 1:
      return settleCancel(record);
    default:
      return record;
  }
}

function flag(record: SessionRecord, { unreadableCode }: SessionSnapshot, nowMs: number): SessionRecord {
  const found = (kind: Anomaly['kind'], detail: string) => ({ kind, detail, nowMs });
  const { status = '', code } = record;
  const findings = [
    ...(isSessionStatus(status) ? [] : [found('unknownStatus', status)]),
    ...(code === undefined || isCodeOf(status, code) ? [] : [found('unknownCode', code)]),
    ...(unreadableCode === true ? [found('unreadableCode', `with ${status}: it is not a text`)] : []),
    ...(isCodeMissing(record) ? [found('missingCode', `with ${status}`)] : []),
  ];
  return findings.reduce(withAnomalyOnce, record);
}

const isCodeMissing = ({ kind, status, code, unreadableCode }: SessionRecord): boolean =>
  code === undefined && unreadableCode !== true && isUnclear(kind, { status });

/** Whether the code is known and, if the status is known too, belongs to it. */
function isCodeOf(status: string, code: string): boolean {
  return isSessionCode(code) && (!isSessionStatus(status) || SESSION_CODES[code].status === status);
}

function describe({ status, code }: KnownState): string {
  return [status ?? 'nothing', code].filter((part) => part !== undefined).join('/');
}
