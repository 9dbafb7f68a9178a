/**
 * The one rule that decides which reports of the service are new. The activity that follows a session returns as soon as a report is
 * new, and the session records what is new in it. Pure.
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

/** The facts about a session that are known from earlier reports. */
export interface KnownReports extends KnownState {
  /** The session's kind, on which the meaning of a state depends. */
  readonly kind: SessionKind;
  /** Dollars; absent until it is known. */
  readonly amount?: number;
  /** The furthest rank that the session has reached, see `rankOf`. */
  readonly furthest: number;
  /** The recorded findings, see `findingKey`; absent if the record takes no more of them. */
  readonly findings?: readonly string[];
}

/** A part of a report that the contract does not foresee. */
export interface Finding {
  readonly kind: 'unknownStatus' | 'unknownCode' | 'unreadableCode' | 'missingCode' | 'backwardStatus';
  /** The unknown status or code itself, or the observation in words. */
  readonly detail: string;
}

/** The result of reading a report: the facts known after it. */
export interface Reported {
  /** The reported state, with the known code that `withKnownCode` adds. If the report goes backwards, the known state. */
  readonly state: Omit<SessionSnapshot, 'amount'>;
  readonly amount?: number;
  readonly findings: readonly Finding[];
  readonly isBackward: boolean;
  /** True if the report alone shows the session's state: it does not go backwards, and leaves out no known code that still applies. */
  readonly isTelling: boolean;
}

/** Reads a report, given the known facts. A report that goes backwards only adds a finding. */
export function read(known: KnownReports, reported: SessionSnapshot): Reported {
  const { kind } = known;
  const { amount = known.amount, ...state } = withKnownCode(known, reported);
  const isTelling = state.code === reported.code;
  if (isSessionStatus(state.status) && rankOf(kind, state) < known.furthest) {
    const { status = '', code, unreadableCode } = known;
    const before = { status, ...(code !== undefined && { code }), ...(unreadableCode && { unreadableCode }) };
    const detail = `${describe(known)} to ${describe(state)}`;
    const findings = [{ kind: 'backwardStatus', detail } as const];
    return { state: before, ...amountOf(known.amount), findings, isBackward: true, isTelling: false };
  }
  const findings = findingsOf(kind, state, reported);
  return { state, ...amountOf(amount), findings, isBackward: false, isTelling };
}

/** True if a report shows another state or amount than the known one, or a new finding that the record still takes. */
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

/** Returns the key that distinguishes one finding from another. */
export const findingKey = ({ kind, detail }: { readonly kind: string; readonly detail: string }): string =>
  `${kind} ${detail}`;

/**
 * Returns how close a state is to the end: 0 for `Initiated`, or for an unknown or absent status; 1 for a `Completed` that is not
 * known to be paid; 2 for an end. A report with a known status goes backwards if its rank is lower than `KnownReports.furthest`.
 */
export function rankOf(kind: SessionKind, state: KnownState): 0 | 1 | 2 {
  const { status } = state;
  if (status === undefined || !isSessionStatus(status) || status === 'Initiated') return 0;
  return status === 'Completed' && !isPaid(kind, state) ? 1 : 2;
}

/**
 * Returns the report. If it has the known status and no readable code, adds the code of the earlier report. Does not add a code that
 * this version does not know, or that the session's kind does not have: it may have been a mistake, and an e-Transfer, which has no
 * codes, is paid without one (contract A46).
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

/** True if the kind has the code and, if the status is a known one, the code belongs to the status. */
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
