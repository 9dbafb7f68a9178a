/**
 * Compares a report of the service with everything that earlier reports have shown. The activity that follows a session uses the
 * comparison to return as soon as a report shows something new. The session's workflow uses the same comparison to record what is new.
 * Pure.
 */
import {
  isSessionCode,
  isSessionStatus,
  SESSION_CODES,
  type SessionKind,
  isPaid,
  isUnclear,
  type KnownState,
  type SessionSnapshot,
} from './statuses';

/** The facts about a session that earlier reports have shown. */
export interface KnownReports extends KnownState {
  /** The session's kind. The meaning of a status and code depends on it. */
  readonly kind: SessionKind;
  /** The amount in dollars. Absent until it is known. */
  readonly amount?: number;
  /** The highest rank that the session has reached, see `rankOf`. */
  readonly furthest: number;
  /** The keys of the recorded findings, see `findingKey`. Absent if the record has no room for more findings. */
  readonly findings?: readonly string[];
}

/** Something in a report that the contract does not foresee, such as an unknown status. */
export interface Finding {
  readonly kind: 'unknownStatus' | 'unknownCode' | 'unreadableCode' | 'missingCode' | 'backwardStatus';
  /** The unknown status or code itself, or a description in words. */
  readonly detail: string;
}

/** The facts that are known after a report. */
export interface Reported {
  /** The reported state, completed by `withKnownCode`. If the report goes backwards, the earlier state. */
  readonly state: Omit<SessionSnapshot, 'amount'>;
  readonly amount?: number;
  readonly findings: readonly Finding[];
  readonly isBackward: boolean;
  /** True if the report alone shows the session's state. False if it goes backwards, or if `withKnownCode` had to add a code. */
  readonly isSelfContained: boolean;
}

/** Combines a report with the known facts. A report that goes backwards changes no fact, and only adds a finding. */
export function read(known: KnownReports, reported: SessionSnapshot): Reported {
  const { kind } = known;
  const { amount = known.amount, ...state } = withKnownCode(known, reported);
  const isSelfContained = state.code === reported.code;
  if (isSessionStatus(state.status) && rankOf(kind, state) < known.furthest) {
    const { status = '', code, unreadableCode } = known;
    const before = { status, ...(code !== undefined && { code }), ...(unreadableCode && { unreadableCode }) };
    const detail = `${describe(known)} to ${describe(state)}`;
    const findings = [{ kind: 'backwardStatus', detail } as const];
    return { state: before, ...amountOf(known.amount), findings, isBackward: true, isSelfContained: false };
  }
  const findings = findingsOf(kind, state, reported);
  return { state, ...amountOf(amount), findings, isBackward: false, isSelfContained };
}

/** True if a report changes the known state or amount, or has a new finding and the record has room for it. */
export function isChange(known: KnownReports, reported: SessionSnapshot): boolean {
  const { state, amount, findings } = read(known, reported);
  const isRecorded = (finding: Finding) => known.findings?.includes(findingKey(finding)) ?? true;
  return isAnotherState(known, state) || amount !== known.amount || !findings.every(isRecorded);
}

/** True if two states differ. */
export function isAnotherState(known: KnownState, state: KnownState): boolean {
  const { status, code, unreadableCode } = known;
  return status !== state.status || code !== state.code || unreadableCode !== state.unreadableCode;
}

/** Returns the key by which findings are compared. */
export const findingKey = ({ kind, detail }: { readonly kind: string; readonly detail: string }): string =>
  `${kind} ${detail}`;

/**
 * Returns the rank of a state, which says how close the state is to the end:
 * - 0 for `Initiated`, and for an unknown or absent status;
 * - 1 for a `Completed` that is not known to be paid;
 * - 2 for an end.
 *
 * A report with a known status goes backwards if its rank is lower than `KnownReports.furthest`.
 */
export function rankOf(kind: SessionKind, state: KnownState): 0 | 1 | 2 {
  const { status } = state;
  if (status === undefined || !isSessionStatus(status) || status === 'Initiated') return 0;
  return status === 'Completed' && !isPaid(kind, state) ? 1 : 2;
}

/**
 * Completes a report. If the report repeats the known status without a readable code, adds the code of the earlier report. Does not
 * add an unknown code, or a code that the session's kind does not have: such a code may have been a mistake of the service. For
 * instance, an e-Transfer has no codes, and is paid without a code (contract rule A46, docs/contract.md).
 */
export function withKnownCode(known: KnownReports, reported: SessionSnapshot): SessionSnapshot {
  const { kind, status, code } = known;
  const keepsCode = reported.code === undefined && reported.status === status && code !== undefined;
  if (!keepsCode || !isCodeOfKind(kind, code)) return reported;
  const { unreadableCode, ...readable } = reported;
  return { ...readable, code };
}

function findingsOf(kind: SessionKind, state: KnownState, { unreadableCode }: SessionSnapshot): Finding[] {
  const { status = '', code } = state;
  return [
    ...(isSessionStatus(status) ? [] : [{ kind: 'unknownStatus', detail: status } as const]),
    ...(code === undefined || isCodeOf(kind, status, code)
      ? []
      : [{ kind: 'unknownCode', detail: code } as const]),
    ...(unreadableCode
      ? [
          {
            kind: 'unreadableCode',
            detail: `with ${status}: it is not a text of 1 to 200 characters`,
          } as const,
        ]
      : []),
    ...(isCodeMissing(kind, state) ? [{ kind: 'missingCode', detail: `with ${status}` } as const] : []),
  ];
}

const isCodeMissing = (kind: SessionKind, { status, code, unreadableCode }: KnownState): boolean =>
  code === undefined && unreadableCode !== true && isUnclear(kind, { status });

/** True if the session's kind has the code, and the code belongs to the status. An unknown status is not compared. */
function isCodeOf(kind: SessionKind, status: string, code: string): boolean {
  if (!isSessionCode(code) || !isCodeOfKind(kind, code)) return false;
  return !isSessionStatus(status) || SESSION_CODES[code].status === status;
}

const isCodeOfKind = (kind: SessionKind, code: string): boolean =>
  kind !== 'e-Transfer' && isSessionCode(code);

const amountOf = (amount: number | undefined) => (amount === undefined ? {} : { amount });

function describe({ status, code }: KnownState): string {
  return [status || 'nothing', code].filter((part) => part !== undefined).join('/');
}
