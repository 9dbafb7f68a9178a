/** What a payment session keeps of its life, and shows to callers. The shapes live in recorded histories: they are permanent. */
import type { ProblemDetails } from '../contract/problem-details';
import type { ReportedCode, ReportedStatus } from '../contract/statuses';
import type { ErrorCode } from '../errors/codes';

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
