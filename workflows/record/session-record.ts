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
 * The record of a session, which the new run gets when the workflow continues as new. Times are epoch milliseconds, or
 * ISO 8601 in the parts that callers see.
 */
export interface SessionRecord {
  readonly kind: SessionKind;
  /** When the overall deadline began to count: at the workflow's start, or at the decision about a parked create. */
  readonly deadlineFromMs: number;
  /** When the session was started, or when its state last changed. */
  readonly changedAtMs: number;
  /**
   * The start of the latest call whose report alone shows the session's state, or an earlier time. 0 if there was no such
   * call, or none since `looksCrossed`.
   */
  readonly lookedAtMs: number;
  /** The furthest point that the session has reached: the highest rank of its states. */
  readonly furthest: 0 | 1 | 2;
  /** When the bank account was first seen validated: the start of the wait for the PAD signature. */
  readonly validatedAtMs?: number;
  /** True while a create's unknown outcome waits for `resolveCreate`. */
  readonly parked: boolean;
  readonly ended: boolean;
  /** Counts the changes that callers see. */
  readonly revision: number;
  /** The number of creates with an unknown outcome that were repeated or given up. Each may have left a session. */
  readonly possibleOrphans: number;
  readonly sessionId?: string;
  readonly checkoutUrl?: string;
  readonly status?: string;
  readonly code?: string;
  /** True if the last report has a detail code that cannot be read, and no code is known for its status. */
  readonly unreadableCode?: true;
  readonly amount?: number;
  /**
   * The longest possible delay between the end and its detection, in milliseconds. Absent if it is unknown, for instance
   * because a cancel has shown the end.
   */
  readonly changeDelayMs?: number;
  readonly cancel?: CancelRecord;
  readonly unsigned?: true;
  /** True if the session ended by its deadline, without a later successful poll of the service. */
  readonly unverified?: true;
  readonly trouble?: Trouble;
  readonly stateHistory: readonly StateHistoryEntry[];
  readonly anomalies: readonly Anomaly[];
  readonly decisions: readonly Decision[];
  /** The session's parks, each with its time and reason: the first ones, up to a bound. */
  readonly parks?: readonly Park[];
  /**
   * The ids of the latest updates that brought a person's decision and were carried out or refused. The record keeps them
   * because the Temporal server forgets a run's updates when the workflow continues as new.
   */
  readonly answered: readonly string[];
  /** True if the ledger has the session's key, or may have it: then the ledger receives the session's events. */
  readonly onLedger?: true;
  /**
   * True if the ledger has the end or the failure of the key's session from an earlier workflow. The session's events are
   * not counted again.
   */
  readonly answeredByLedger?: true;
  /** False if no earlier run has counted the session's start, for instance because the ledger did not answer. */
  readonly isStartCounted?: boolean;
}

/** Something that happened to the session. */
export type Observation =
  | { readonly type: 'created'; readonly sessionId: string; readonly checkoutUrl: string }
  /** A person named the session that a create with an unknown outcome has opened. */
  | {
      readonly type: 'adopted';
      readonly sessionId: string;
      readonly checkoutUrl: string;
      readonly snapshot: SessionSnapshot;
    }
  /** The ledger has the key, or may have it. */
  | { readonly type: 'claimed' }
  /** The ledger knows how the key's session ended, which the Temporal server has forgotten. */
  | { readonly type: 'recorded'; readonly result: SessionResult }
  /** The ledger knows that the key's session failed, which the Temporal server has forgotten. */
  | { readonly type: 'failedBefore' }
  /**
   * The outcome of a create is unknown, and a person must decide. `run` distinguishes the run from the one that a reset
   * makes of it. `sessionId` is the session that the answer names.
   */
  | { readonly type: 'createParked'; readonly run: string; readonly sessionId?: string }
  /** A person has decided to repeat or give up the create. */
  | { readonly type: 'createUnparked' }
  /** The update with this id was carried out or refused. Its caller may repeat it, and then gets an answer. */
  | { readonly type: 'answered'; readonly updateId: string }
  | { readonly type: 'decided'; readonly decision: Omit<Decision, 'at' | 'id'> }
  /** The decision about a parked create, from the update with this id, is carried out or refused. */
  | {
      readonly type: 'createResolved';
      readonly decision: Omit<Decision, 'at' | 'id'>;
      readonly run: string;
      readonly updateId: string;
    }
  /** A poll, which may have failed, has served the refreshes among the first `count` decisions. */
  | { readonly type: 'refreshed'; readonly count: number; readonly result: 'applied' | ErrorCode }
  | { readonly type: 'possibleOrphan'; readonly why: string; readonly sessionId?: string }
  | {
      readonly type: 'seen';
      readonly snapshot: SessionSnapshot;
      readonly source: StateSource;
      /** The time between this poll and the one before it, in milliseconds, if known. */
      readonly sinceLookMs?: number;
      /** The call with this report began at this time or later. */
      readonly lookedAtMs?: number;
    }
  | { readonly type: 'callFailed'; readonly failure: SessionFailure }
  /** Two calls were under way at once, and it is unknown which of them saw the later state. */
  | { readonly type: 'looksCrossed' }
  /** The next call is planned for this time. A cancel or a refresh may bring it forward. */
  | { readonly type: 'waits'; readonly untilMs: number }
  | { readonly type: 'cancelRequested'; readonly by: CancelRecord['by'] }
  | { readonly type: 'cancelledBeforeCreate' }
  | { readonly type: 'signatureDeadlinePassed' }
  /** The deadline of a session that is or was `Completed` has passed. It is unknown whether the session is paid. */
  | { readonly type: 'unclearDeadlinePassed' }
  /**
   * The deadline of a session that awaits its signature, or is unclear, has passed. No later poll has succeeded while the
   * end could be postponed.
   */
  | { readonly type: 'endedUnverified' };

/** Returns the record of a session before its first event. `amount` is in dollars, if the request presets it. */
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

/** Returns the answer of the `state` query. `failure` is present if the workflow is failing. */
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

/** Sets the failure as the result of a pending decision, because a failed workflow carries out no more requests. */
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
