import { defined } from '../../src/contract/values/json';
import type { ErrorCode } from '../../src/errors/codes';
import type { SessionFailure } from '../../src/errors/failures';
import type { SessionResult, SessionState } from '../../src/protocol/state/session';
import type {
  Anomaly,
  CancelRecord,
  Decision,
  Park,
  SessionPhase,
  StateHistoryEntry,
  StateSource,
  Trouble,
} from '../../src/protocol/state/recorded';
import { type SessionKind, type SessionSnapshot, isPaid } from '../../src/contract/statuses';
import type { PaymentSessionInput } from '../../src/protocol/input';

/**
 * Everything that a session's workflow knows about the session. A continue-as-new passes the record to the new run. Times
 * are epoch milliseconds, or ISO 8601 in the parts that callers see.
 */
export interface SessionRecord {
  readonly kind: SessionKind;
  /** The time from which the deadline counts: the workflow's start, or the decision about a parked create. */
  readonly deadlineFromMs: number;
  /** The time at which the session was started, or at which its state last changed. */
  readonly changedAtMs: number;
  /**
   * A deadline takes effect only after a poll that began after the deadline. This is the time at which the latest such
   * call began, or an earlier time. Only calls whose report alone shows the session's state count. 0 if there was no such
   * call, or none since `looksCrossed`.
   */
  readonly lookedAtMs: number;
  /** The highest rank that the session has reached, see `rankOf`. */
  readonly furthest: 0 | 1 | 2;
  /**
   * The time at which a worker first saw the bank account validated. The wait for the PAD signature counts from this
   * time.
   */
  readonly validatedAtMs?: number;
  /** True while the session waits for `resolveCreate`, because the outcome of a create is unknown. */
  readonly parked: boolean;
  readonly ended: boolean;
  /** The number of changes so far that callers can see. */
  readonly revision: number;
  /**
   * The number of creates with an unknown outcome that were repeated or given up. Each of them may have created a session
   * that no workflow follows.
   */
  readonly possibleOrphans: number;
  readonly sessionId?: string;
  readonly checkoutUrl?: string;
  readonly status?: string;
  readonly code?: string;
  /** True if the last report has a detail code that cannot be read, and no earlier report had a code with this status. */
  readonly unreadableCode?: true;
  readonly amount?: number;
  /**
   * The maximum delay between the session's end and its detection, in milliseconds. Absent if it is unknown, for instance
   * because the answer to a cancel has shown the end.
   */
  readonly changeDelayMs?: number;
  readonly cancel?: CancelRecord;
  readonly unsigned?: true;
  /** True if the session ended by its deadline without a successful poll after the deadline. */
  readonly unverified?: true;
  readonly trouble?: Trouble;
  readonly stateHistory: readonly StateHistoryEntry[];
  readonly anomalies: readonly Anomaly[];
  readonly decisions: readonly Decision[];
  /** The session's waits for a decision about a create, up to a maximum number. */
  readonly parks?: readonly Park[];
  /**
   * The ids of the latest updates with a person's decision that were carried out or refused. The record keeps them,
   * because the Temporal server forgets a run's updates when the workflow continues as new.
   */
  readonly answered: readonly string[];
  /** True if the ledger has the session's key, or may have it. The ledger then receives the session's events. */
  readonly onLedger?: true;
  /**
   * True if this workflow opened no session, because the ledger had the end or the failure of the key's session from an
   * earlier workflow. The metrics then do not count the session's events again.
   */
  readonly answeredByLedger?: true;
  /** False if no earlier run has counted the session's start, for instance because the ledger did not answer. */
  readonly isStartCounted?: boolean;
  /** While a cancel is pending: the latest reads of the details, if all of them denied the session. */
  readonly denials?: Denials | undefined;
}

/** A series of reads of the details that all denied the session. */
export interface Denials {
  /** The length of the series, in milliseconds. */
  readonly forMs: number;
  /** The time of the last denial, in epoch milliseconds. */
  readonly atMs: number;
}

/** Something that happened to the session. `next` computes its effect on the record. */
export type Observation =
  | { readonly type: 'created'; readonly sessionId: string; readonly checkoutUrl: string }
  /** A person named the session that a create with an unknown outcome had opened, and the workflow adopts it. */
  | {
      readonly type: 'adopted';
      readonly sessionId: string;
      readonly checkoutUrl: string;
      readonly snapshot: SessionSnapshot;
    }
  /** The ledger has the key, or may have it. */
  | { readonly type: 'claimed' }
  /** The ledger has the result of the key's session from an earlier workflow, which the Temporal server has dropped. */
  | { readonly type: 'recorded'; readonly result: SessionResult }
  /** The ledger has the failure of an earlier workflow of the key, which the Temporal server has dropped. */
  | { readonly type: 'failedBefore' }
  /**
   * The outcome of a create is unknown, and a person must decide. `run` is the run's seed, which a reset changes.
   * `sessionId` is the session id in the answer, if it had one.
   */
  | { readonly type: 'createParked'; readonly run: string; readonly sessionId?: string }
  /** A person has decided to repeat or give up the create. */
  | { readonly type: 'createUnparked' }
  /** The update with this id was carried out or refused. If its caller repeats it, the caller gets an answer at once. */
  | { readonly type: 'answered'; readonly updateId: string }
  | { readonly type: 'decided'; readonly decision: Omit<Decision, 'at' | 'id'> }
  /**
   * The decision about a parked create was carried out or refused. `updateId` is the id of the update that brought it.
   */
  | {
      readonly type: 'createResolved';
      readonly decision: Omit<Decision, 'at' | 'id'>;
      readonly run: string;
      readonly updateId: string;
    }
  /**
   * A poll for refreshes has ended, perhaps with a failure. It has served the refreshes among the first `count`
   * decisions.
   */
  | { readonly type: 'refreshed'; readonly count: number; readonly result: 'applied' | ErrorCode }
  | { readonly type: 'possibleOrphan'; readonly why: string; readonly sessionId?: string }
  | {
      readonly type: 'seen';
      readonly snapshot: SessionSnapshot;
      readonly source: StateSource;
      /** The time since the previous poll, in milliseconds, if known. */
      readonly sinceLookMs?: number;
      /** The call with this report began at this time or later. */
      readonly lookedAtMs?: number;
    }
  | { readonly type: 'callFailed'; readonly failure: SessionFailure }
  /** Two calls ran at the same time, and it is unknown which of them saw the later state. */
  | { readonly type: 'looksCrossed' }
  /** The next call is planned for this time. A cancel or a refresh may come earlier. */
  | { readonly type: 'waits'; readonly untilMs: number }
  | { readonly type: 'cancelRequested'; readonly by: CancelRecord['by'] }
  | { readonly type: 'cancelledBeforeCreate' }
  | { readonly type: 'signatureDeadlinePassed' }
  /**
   * The deadline has passed, and a later poll has succeeded. The session is or was `Completed`, and it is unclear whether
   * it is paid.
   */
  | { readonly type: 'unclearDeadlinePassed' }
  /**
   * The deadline has passed, and no later poll has succeeded for as long as the end could be postponed. The session
   * awaits its signature, or it is unclear whether it is paid.
   */
  | { readonly type: 'endedUnverified' };

/** Returns the record of a session that has just started. `amount` is the request's amount in dollars, if it has one. */
export function newRecord(
  startedAtMs: number,
  { kind, amount }: { readonly kind: SessionKind; readonly amount?: number | null | undefined },
): SessionRecord {
  return {
    kind,
    deadlineFromMs: startedAtMs,
    changedAtMs: startedAtMs,
    lookedAtMs: 0,
    furthest: 0,
    parked: false,
    ended: false,
    revision: 0,
    possibleOrphans: 0,
    stateHistory: [],
    anomalies: [],
    decisions: [],
    answered: [],
    ...(amount != null && { amount }),
  };
}

/** Returns the phase of a record. */
export function phaseOf(record: SessionRecord): SessionPhase {
  if (record.ended) return 'ended';
  if (record.parked) return 'parked';
  if (record.sessionId === undefined) return 'creating';
  return cancelPending(record) ? 'cancelling' : 'open';
}

/** True if a cancel was requested and has no outcome yet. */
export function cancelPending(record: SessionRecord): boolean {
  return record.cancel !== undefined && record.cancel.outcome === undefined;
}

export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Returns the session's state, as the `state` query answers it. `failure` is present if the workflow is failing. */
export function stateOf(
  input: PaymentSessionInput,
  record: SessionRecord,
  failure: SessionFailure | undefined,
): SessionState {
  const { status, code, sessionId, checkoutUrl, amount, cancel, unsigned, unverified, trouble } = record;
  const known = { status, code, sessionId, checkoutUrl, amount, cancel, unsigned, unverified, trouble };
  const { revision, anomalies, parks } = record;
  return {
    phase: failure === undefined ? phaseOf(record) : 'ended',
    revision,
    ...identityOf(input, record),
    paid: isPaid(record.kind, record),
    ...defined({ ...known, failure }),
    anomalies,
    decisions: failure === undefined ? record.decisions : record.decisions.map(failedBy(failure)),
    ...defined({ parks }),
  };
}

/** Sets the failure as the result of pending decisions, because a failed workflow carries out no more requests. */
const failedBy =
  ({ code }: SessionFailure) =>
  (decision: Decision): Decision =>
    decision.result === 'pending' ? { ...decision, result: code } : decision;

/** Returns the workflow's result, once the session has ended. */
export function resultOf(input: PaymentSessionInput, record: SessionRecord): SessionResult {
  const { status = 'Cancelled', code, sessionId, checkoutUrl, amount, cancel, unsigned, unverified } = record;
  const { stateHistory, anomalies, decisions, parks } = record;
  const paid = isPaid(record.kind, record) && sessionId !== undefined && checkoutUrl !== undefined;
  return {
    ...identityOf(input, record),
    ...(paid
      ? { paid: true, status: 'Completed', sessionId, checkoutUrl }
      : { paid: false, status, ...defined({ sessionId, checkoutUrl }) }),
    ...defined({ code, amount, cancel, unsigned, unverified }),
    stateHistory,
    anomalies,
    decisions,
    ...defined({ parks }),
  };
}

function identityOf(
  { key, request }: PaymentSessionInput,
  { kind }: SessionRecord,
): Pick<SessionState, 'key' | 'kind' | 'referenceId'> {
  return { key, kind, referenceId: request.referenceId ?? null };
}
