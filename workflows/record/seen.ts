/** What a report of the service changes: pure. */
import { findingKey, isAnotherState, rankOf, read, type KnownReports } from '../../src/contract/reports';
import { isFull, withAnomalyOnce } from './anomalies';
import { settleCancel } from './cancel-outcome';
import type { StateSource } from '../../src/protocol/state/recorded';
import { toIso, type SessionRecord } from './session-record';
import { awaitsSignature, type KnownState, type SessionSnapshot } from '../../src/contract/statuses';

const MAX_STATES = 200;

/** A report, and how and when it was learned. */
export interface Sighting {
  readonly source: StateSource;
  readonly nowMs: number;
}

/** What the record knows by the reports before: what a report is judged by, here and where the session is followed. */
export function knownReports(record: SessionRecord): KnownReports {
  const { kind, status, code, unreadableCode, amount, furthest } = record;
  return {
    kind,
    furthest,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(unreadableCode && { unreadableCode }),
    ...(amount !== undefined && { amount }),
    ...(!isFull(record) && { findings: record.anomalies.map(findingKey) }),
  };
}

/** Whether a report says by itself how the session stands: only such a look counts for a deadline. */
export const tells = (record: SessionRecord, reported: SessionSnapshot): boolean =>
  read(knownReports(record), reported).isTelling;

/** Applies a report, unless it goes backwards; flags what the contract does not foresee. */
export function seen(record: SessionRecord, reported: SessionSnapshot, sighting: Sighting): SessionRecord {
  const { state, amount, findings, isBackward } = read(knownReports(record), reported);
  const known = amount === undefined ? record : { ...record, amount };
  const moved = isAnotherState(known, state) ? withState(known, state, sighting) : known;
  const { nowMs } = sighting;
  const flagged = findings.reduce((all, finding) => withAnomalyOnce(all, { ...finding, nowMs }), moved);
  return isBackward ? flagged : settle(flagged);
}

/** Records a new state of the session, up to the bound. */
export function withState(
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

/** What stays of a state, however many follow: how far it came, and when the bank account was first seen validated. */
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
 * `Failed`, `Cancelled`, `Expired` and a `Completed` that is paid end a session. Every other `Completed` is followed on, and
 * counts as ended for a cancel alone (contract A55): the payor has done their part.
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
