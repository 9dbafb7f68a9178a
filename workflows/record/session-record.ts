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

/** Everything a session knows; carried as it is when the workflow continues as new. Times are epoch milliseconds. */
export interface SessionRecord {
  readonly kind: SessionKind;
  /** When the overall deadline began to count: at the start, or at the decision about a parked create. */
  readonly deadlineFromMs: number;
  /** When the session was opened or its state last changed. */
  readonly changedAtMs: number;
  /** A look at the service that succeeded began then, or later; 0 where there was none, or nobody can tell what it is worth. */
  readonly lookedAtMs: number;
  /** How far the session has come at most: the highest rank of its states. */
  readonly furthest: 0 | 1 | 2;
  /** When the bank account was first seen validated: the start of the wait for the PAD signature. */
  readonly validatedAtMs?: number;
  /** Whether a create's unknown outcome waits for `resolveCreate`. */
  readonly parked: boolean;
  readonly ended: boolean;
  /** Counts the changes that callers see. */
  readonly revision: number;
  /** Creates that were given up with an unknown outcome: each may have left a session at the service. */
  readonly possibleOrphans: number;
  readonly sessionId?: string;
  readonly checkoutUrl?: string;
  readonly status?: string;
  readonly code?: string;
  /** The last report gave a detail code that cannot be read, and none was known. */
  readonly unreadableCode?: true;
  readonly amount?: number;
  /** How late the end was seen at most, in milliseconds; absent where no poll has seen it. */
  readonly newsDelayMs?: number;
  readonly cancel?: CancelRecord;
  readonly unsigned?: true;
  /** It ended by its deadline, without a look at the service that succeeded after it. */
  readonly unverified?: true;
  readonly trouble?: Trouble;
  readonly stateHistory: readonly StateHistoryEntry[];
  readonly anomalies: readonly Anomaly[];
  readonly decisions: readonly Decision[];
  /** When and why it was parked; the first of them. */
  readonly parks?: readonly Park[];
  /** The ids of the latest updates that were carried out: the engine forgets them when the workflow continues as new. */
  readonly answered: readonly string[];
  /** The ledger has the session's key, and takes what happens to it. */
  readonly onLedger?: true;
  /** The ledger knows how the key's session ended, or failed, before this workflow began: nothing of it is counted again. */
  readonly answeredByLedger?: true;
}

/** Something that happened to the session. */
export type Observation =
  | { readonly type: 'created'; readonly sessionId: string; readonly checkoutUrl: string }
  /** A person named the session that a lost create had made. */
  | {
      readonly type: 'adopted';
      readonly sessionId: string;
      readonly checkoutUrl: string;
      readonly snapshot: SessionSnapshot;
      readonly lookedAtMs?: number;
    }
  /** The ledger has claimed the key. */
  | { readonly type: 'claimed' }
  /** The ledger knows how the key's session ended, which the Temporal server has forgotten. */
  | { readonly type: 'recorded'; readonly result: SessionResult }
  /** The ledger knows that the key's session failed, which the Temporal server has forgotten. */
  | { readonly type: 'failedBefore' }
  /** `run` tells the run from what a reset makes of it; `sessionId` is the session that the answer names. */
  | { readonly type: 'createParked'; readonly run: string; readonly sessionId?: string }
  | { readonly type: 'createUnparked' }
  /** The update of this id was carried out: its caller may ask again. */
  | { readonly type: 'answered'; readonly updateId: string }
  | { readonly type: 'decided'; readonly decision: Omit<Decision, 'at' | 'id'> }
  /** The answer to a parked create, which the update of this id gave, was carried out or refused. */
  | {
      readonly type: 'createResolved';
      readonly decision: Omit<Decision, 'at' | 'id'>;
      readonly run: string;
      readonly updateId: string;
    }
  /** A poll has served the refreshes among the first `count` decisions. */
  | { readonly type: 'refreshed'; readonly count: number; readonly result: 'applied' | ErrorCode }
  | { readonly type: 'possibleOrphan'; readonly why: string; readonly sessionId?: string }
  | {
      readonly type: 'seen';
      readonly snapshot: SessionSnapshot;
      readonly source: StateSource;
      /** How long before the look before was, in milliseconds, where that is known. */
      readonly sinceLookMs?: number;
      /** When the look began, if not later. */
      readonly lookedAtMs?: number;
    }
  | { readonly type: 'callFailed'; readonly failure: SessionFailure }
  /** Two looks were under way at once, and nobody can tell which of them saw the later state. */
  | { readonly type: 'looksCrossed' }
  /** The next call is made after this time, not before. */
  | { readonly type: 'waits'; readonly untilMs: number }
  | { readonly type: 'cancelRequested'; readonly by: CancelRecord['by'] }
  | { readonly type: 'cancelledBeforeCreate' }
  | { readonly type: 'signatureDeadlinePassed' }
  /** The deadline of a session that has completed, though nobody can tell whether it is paid. */
  | { readonly type: 'unclearDeadlinePassed' }
  /** One of these two deadlines, after which nobody could look at the service for as long as the end is put off. */
  | { readonly type: 'endedUnverified' };

/** What a deadline makes of a session: it ends unsigned, or with nobody knowing whether it is paid, or is cancelled at the service. */
export type DeadlineEnd = 'unsigned' | 'unclear' | 'cancel';

/** What is known of a session before anything has happened to it. */
export interface NewSession {
  readonly kind: SessionKind;
  /** Dollars, where the request presets it. */
  readonly amount?: number | null | undefined;
}

export function newRecord(nowMs: number, { kind, amount }: NewSession): SessionRecord {
  return {
    kind,
    deadlineFromMs: nowMs,
    changedAtMs: nowMs,
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

export const toIso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Answer of the `state` query; `failure` is there once the workflow is failing. */
export function stateOf(
  input: PaymentSessionInput,
  record: SessionRecord,
  failure: SessionFailure | undefined,
): SessionState {
  const { status, code, sessionId, checkoutUrl, amount, cancel, unsigned, unverified, trouble } = record;
  const { revision, anomalies, parks } = record;
  return {
    phase: failure === undefined ? phaseOf(record) : 'ended',
    revision,
    ...identityOf(input, record),
    paid: isPaid(record.kind, record),
    ...defined({
      status,
      code,
      sessionId,
      checkoutUrl,
      amount,
      cancel,
      unsigned,
      unverified,
      trouble,
      failure,
    }),
    anomalies,
    decisions: failure === undefined ? record.decisions : record.decisions.map(failedBy(failure)),
    ...defined({ parks }),
  };
}

/** What is pending when the workflow fails never will be carried out. */
const failedBy =
  ({ code }: SessionFailure) =>
  (decision: Decision): Decision =>
    decision.result === 'pending' ? { ...decision, result: code } : decision;

/** The workflow's result, once the session has ended. */
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

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops undefined members, so that answers hold only what is known. */
export function defined<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
}
