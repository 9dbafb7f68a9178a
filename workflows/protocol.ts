/**
 * The names and shapes by which callers and a payment session's workflow speak to each other. They live in recorded
 * histories and in users' code: they are permanent.
 */
import type { ReportedCode, ReportedStatus } from '../src/contract/statuses';
import type { SessionKind } from '../src/contract/kinds';
import type { SessionRequest } from '../src/contract/session-request';
import type { ProblemDetails } from '../src/contract/responses';
import type { ErrorCode } from '../src/errors/codes';
import type { SessionPolicy } from './policy';

export const WORKFLOW_TYPE = 'paymentSession';
export const WORKFLOW_ID_PREFIX = 'payment-session/';
export const DEFAULT_TASK_QUEUE = 'payment-sessions';
/** The account of sessions that name none. */
export const DEFAULT_ACCOUNT = 'default';

/** The signal, queries and updates of a payment session. */
export const MESSAGES = {
  cancel: 'cancel',
  state: 'state',
  stateHistory: 'stateHistory',
  awaitOpened: 'awaitOpened',
  cancelAndWait: 'cancelAndWait',
  refresh: 'refresh',
  resolveCreate: 'resolveCreate',
} as const;

/** The search attributes of a payment session, all of type Keyword. The engine stores them in plain text. */
export const SEARCH_ATTRIBUTES = {
  status: 'PaymentSessionStatus',
  code: 'PaymentSessionCode',
  kind: 'PaymentSessionKind',
  reference: 'PaymentSessionReference',
} as const;

/** What the search attribute of the code says where the service gave one that cannot be read. */
export const UNREADABLE_CODE = 'unreadable';

/** What starts a payment session. */
export interface PaymentSessionInput {
  /** The caller's own key for this payment: the same key never opens two sessions. 1 to 200 characters, no control characters. */
  readonly key: string;
  /** The specification's session creation request, sent to the payment service untouched. */
  readonly request: SessionRequest;
  /** Which of the worker's accounts opens the session. @default 'default' */
  readonly account?: string;
  /** Cadence, deadlines and what to do when a create's outcome is unknown. */
  readonly policy?: SessionPolicy;
}

/** Where a session stands in its life. */
export type SessionPhase = 'creating' | 'parked' | 'open' | 'cancelling' | 'ended';

/** One state of the session, recorded once, when it was first seen. */
export interface StateHistoryEntry {
  readonly status: ReportedStatus;
  /** Absent for e-Transfer sessions, and for a session cancelled before it was created. */
  readonly code?: ReportedCode;
  /** The service gave a code that is not a text. */
  readonly unreadableCode?: true;
  /** ISO 8601, UTC. */
  readonly firstSeenAt: string;
  /** How it was learned: from the create call, a poll, or a cancel. */
  readonly source: StateSource;
}

export type StateSource = 'create' | 'poll' | 'cancel';

/** Something that the contract does not foresee; the session goes on. */
export interface Anomaly {
  readonly kind:
    /** A status that this version does not know. */
    | 'unknownStatus'
    /** A detail code that this version does not know, or not for this status. */
    | 'unknownCode'
    /** A detail code that is not a text. */
    | 'unreadableCode'
    /** `Completed` without a detail code, of a kind that has codes: it may or may not be paid. */
    | 'missingCode'
    /** A status that goes backwards; it was not applied. */
    | 'backwardStatus'
    /** A create whose outcome is unknown was repeated or given up: a session may stay open at the service. */
    | 'possibleOrphan'
    /** The service says that it does not know the session. */
    | 'sessionUnknown'
    /** The service answered about another session; the answer was not believed. */
    | 'wrongSession'
    /** The bound on recorded states or anomalies was reached; later ones are not kept. */
    | 'recordFull';
  readonly detail: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** What became of a cancel. */
export type CancelOutcome =
  /** The service cancelled the session. */
  | 'cancelled'
  /** The cancel came before the session was created: nothing was, and nothing will be. */
  | 'neverCreated'
  /** As `neverCreated`, but a create before it had an unknown outcome: see the anomaly `possibleOrphan`. */
  | 'possiblyCreated'
  /** The session had ended before the cancel was asked for. */
  | 'alreadyEnded'
  /** The payor completed first. */
  | 'lostToCompletion'
  /** The session failed first. */
  | 'lostToFailure'
  /** The session expired first. */
  | 'lostToExpiry';

/** A cancel that was asked for, and its outcome once the service has answered. */
export interface CancelRecord {
  /** ISO 8601, UTC. */
  readonly requestedAt: string;
  /** Who asked: a caller, or the session's own overall deadline. */
  readonly by: 'caller' | 'deadline';
  readonly outcome?: CancelOutcome;
}

/** What went wrong, as plain data. */
export interface SessionFailure {
  readonly code: ErrorCode;
  readonly message: string;
  /** HTTP status of the service's answer, where there was one. */
  readonly status?: number;
  /** The answer's problem details (contract A70). */
  readonly problem?: ProblemDetails;
}

/** The last failed call of a session, while its calls are failing. */
export interface Trouble extends SessionFailure {
  /** When the next call is made; ISO 8601, UTC. */
  readonly until?: string;
}

/** A person's decision about a create whose outcome was unknown. */
export interface Decision {
  readonly decision: 'adopt' | 'retry' | 'abandon';
  /** Who decided, as the caller said. */
  readonly by?: string;
  /** Why, as the caller said. */
  readonly reason?: string;
  /** The session to adopt. */
  readonly sessionId?: string;
  /** `applied`, or the error code for which it was not: the session stays parked. */
  readonly result: 'applied' | ErrorCode;
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** First detail of the failure that ends the workflow, so that a failed session can still be read when no worker runs. */
export interface FailureDetails {
  readonly state: SessionState;
  readonly stateHistory: readonly StateHistoryEntry[];
}

/** What `state` and the result have in common. */
interface KnownSession {
  readonly key: string;
  readonly kind: SessionKind;
  readonly referenceId: string | null;
  /** Absent for e-Transfer sessions, and as long as none could be read. */
  readonly code?: ReportedCode;
  /** Dollars; absent until it is known. */
  readonly amount?: number;
  readonly cancel?: CancelRecord;
  /** The bank account was validated but the PAD agreement was not signed before its deadline. */
  readonly unsigned?: true;
  readonly anomalies: readonly Anomaly[];
  /** What people decided about a create whose outcome was unknown, oldest first. */
  readonly decisions: readonly Decision[];
}

/** Answer of the `state` query. */
export interface SessionState extends KnownSession {
  readonly phase: SessionPhase;
  /**
   * Whether the payment is made: `Completed`/`EFT0301`, or `Completed` for e-Transfer, which has no codes. No other
   * `Completed` is paid.
   */
  readonly paid: boolean;
  readonly status?: ReportedStatus;
  readonly sessionId?: string;
  readonly checkoutUrl?: string;
  /** The last failed call, while calls are failing. */
  readonly trouble?: Trouble;
  /** Why the workflow failed; only in phase `ended`. */
  readonly failure?: SessionFailure;
}

/**
 * The workflow's result: how the session ended. Ask `paid` before you deliver anything: a `Completed` alone may lack the
 * payor's signature, or a detail code that says what it means.
 */
export type SessionResult = PaidSession | UnpaidSession;

/** The payment is made. */
export interface PaidSession extends KnownSession {
  readonly paid: true;
  readonly status: 'Completed';
  readonly sessionId: string;
  readonly checkoutUrl: string;
  readonly stateHistory: readonly StateHistoryEntry[];
}

/**
 * The payment is not made, or nobody can tell: a `Completed` here is unsigned (`unsigned`), or has a detail code that is
 * missing, not known or cannot be read (`anomalies`), and needs a person's look at the payment service.
 */
export interface UnpaidSession extends KnownSession {
  readonly paid: false;
  readonly status: ReportedStatus;
  readonly sessionId?: string;
  readonly checkoutUrl?: string;
  readonly stateHistory: readonly StateHistoryEntry[];
}

/** Answer of `awaitOpened`: where to send the payor. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly checkoutUrl: string;
}

/** Answer of `cancelAndWait`. */
export interface CancelReply {
  readonly outcome: CancelOutcome;
  readonly state: SessionState;
}

/** Argument of `resolveCreate`: what a person found out about a create whose outcome was unknown. */
export type ResolveCreate = DecidedBy &
  /** It was created, with this id of the service, a UUID: follow it. */
  (
    | { readonly sessionId: string }
    /** It was not, or does not matter: create again. */
    | { readonly retry: true }
    /** Give up: the session fails with `CREATE_ABANDONED`. */
    | { readonly abandon: true }
  );

/** Who decides, and why; kept in the session's `decisions`. */
export interface DecidedBy {
  /** 1 to 200 characters. */
  readonly by?: string;
  /** 1 to 500 characters. */
  readonly reason?: string;
}
