/** How 0.1.0 took reports that are taken otherwise by now: its recorded histories replay by this. Pure. */
import { isSessionCode } from '../../src/contract/statuses';
import { MAX_STATES, withMarks } from './seen';
import type { Observation, SessionRecord } from './session-record';

type Report = Extract<Observation, { type: 'seen' }>;

/** Whether 0.1.0 may have taken a report otherwise. */
export function wasTakenOtherwise(record: SessionRecord, report: Report): boolean {
  return keptCode(record, report) || record.stateHistory.length >= MAX_STATES;
}

/** The record and the report as 0.1.0 saw them: states that are not recorded never were, and an e-Transfer keeps its code. */
export function asTakenBefore(record: SessionRecord, report: Report): [SessionRecord, Report] {
  const { code } = record;
  const { snapshot } = report;
  const kept = keptCode(record, report) && code !== undefined ? { ...snapshot, code } : snapshot;
  return [withMarks({ ...record, furthest: 0 }), { ...report, snapshot: kept }];
}

function keptCode({ kind, status, code }: SessionRecord, { snapshot }: Report): boolean {
  const isLeftOut = snapshot.code === undefined && snapshot.status === status;
  return kind === 'e-Transfer' && code !== undefined && isSessionCode(code) && isLeftOut;
}
