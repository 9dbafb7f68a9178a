/** The recorded life of a payment session, as callers see it. The shapes live in recorded histories: they are permanent. */
import type { ReportedCode, ReportedStatus } from '../../contract/statuses';
import type { ErrorCode } from '../../errors/codes';
import type { SessionFailure } from '../../errors/failures';

/** The phases of a session's life, in their order. */
export const SESSION_PHASES: readonly SessionPhase[] = ['creating', 'parked', 'open', 'cancelling', 'ended'];

/** True if the text is the name of a phase. */
export function isSessionPhase(text: string): text is SessionPhase {
  return SESSION_PHASES.some((phase) => phase === text);
}

/** The phase of a session's life. */
export type SessionPhase =
  /** The create request is on its way, or waits for its next attempt. */
  | 'creating'
  /** The response to a create request was lost or not believed, or a reset has undone the request: the session waits for `resolveCreate`. */
  | 'parked'
  /** The session was created at the payment service, and is followed until it ends. */
  | 'open'
  /** A cancellation of the created session was requested, and its outcome is not known yet. */
  | 'cancelling'
  /** The session is over. */
  | 'ended';

/** A state of the session, recorded when it was first seen. */
export interface StateHistoryEntry {
  /** The status that the service reported, or `Cancelled` for a session that was cancelled before it was created. */
  readonly status: ReportedStatus;
  /** The detail code; absent if the service reported none with the status, as for e-Transfer sessions, or one that cannot be read. */
  readonly code?: ReportedCode;
  /** True if the service reported a code that cannot be read, for instance because it is not text. */
  readonly unreadableCode?: true;
  /** The time at which the state was first seen; ISO 8601, UTC. */
  readonly firstSeenAt: string;
  /** The source of the state: `create` for the create request, `poll`, or `cancel` for a cancellation. */
  readonly source: StateSource;
}

/** The source of a state. */
export type StateSource = 'create' | 'poll' | 'cancel';

/** An observation that the contract does not foresee, or a limit of the session's record. It does not end the session by itself. */
export interface Anomaly {
  /** The kind of anomaly. */
  readonly kind:
    /** A status that this version does not know. */
    | 'unknownStatus'
    /** A detail code that this version does not know, or does not expect with this status or kind. */
    | 'unknownCode'
    /** A detail code that cannot be read, for instance because it is not text. */
    | 'unreadableCode'
    /** `Completed` without a detail code, in a session whose kind has codes: the session may or may not be paid. */
    | 'missingCode'
    /** A status that goes backwards; the status was ignored. */
    | 'backwardStatus'
    /** A create request with an unknown outcome was retried or given up: a session may stay open at the service. */
    | 'possibleOrphan'
    /** The service says that it does not know the session. */
    | 'sessionUnknown'
    /** The service returned a different session; the answer was ignored. */
    | 'wrongSession'
    /** The limit of recorded states, anomalies or decisions was reached; later ones are dropped. */
    | 'recordFull';
  /** The unknown status or code itself, or the observation in words; `erased` if the ledger has erased it. */
  readonly detail: string;
  /** The time of the observation; ISO 8601, UTC. */
  readonly at: string;
}

/** The outcome of a cancellation. */
export type CancelOutcome =
  /** The service reported the session as `Cancelled`. */
  | 'cancelled'
  /** The cancellation came before the session was created: no session was created, and none will be. */
  | 'neverCreated'
  /** As `neverCreated`, but an earlier create request had an unknown outcome: see the anomaly `possibleOrphan`. */
  | 'possiblyCreated'
  /** The session had ended before the cancellation was requested. */
  | 'alreadyEnded'
  /** The session was `Completed` first, with or without the PAD signature. */
  | 'lostToCompletion'
  /** The session failed first. */
  | 'lostToFailure'
  /** The session expired first. */
  | 'lostToExpiry';

/** A cancellation that was requested, and its outcome. */
export interface CancelRecord {
  /** The time of the request; ISO 8601, UTC. */
  readonly requestedAt: string;
  /** The source of the cancellation: a caller, or the session's `deadline`. */
  readonly by: 'caller' | 'deadline';
  /** The outcome; absent until it is known. */
  readonly outcome?: CancelOutcome;
}

/** The last failed call of a session, while its calls are failing. */
export interface Trouble extends Pick<SessionFailure, 'code' | 'message'> {
  /** The time of the first failure; ISO 8601, UTC. */
  readonly since: string;
  /** The number of calls in a row that failed or were postponed. */
  readonly failures: number;
  /** The planned time of the next call; ISO 8601, UTC. Absent if none is planned. */
  readonly until?: string;
}

/** A wait for a person's decision, because the outcome of a create request is unknown. */
export interface Park {
  /** The start of the wait; ISO 8601, UTC. */
  readonly at: string;
  /** The error code that says why the outcome is unknown. */
  readonly code: ErrorCode;
  /**
   * Distinguishes this wait from every other one, even if the workflow was reset. If a worker repeats a step of a lost worker,
   * the id stays the same.
   */
  readonly id: string;
  /**
   * The session that the response to the create request names, although the response could not be believed or read. Check that
   * session at the payment service: it may be the one that was created.
   */
  readonly sessionId?: string;
}

/** A person's decision about the session. A cancellation or refresh counts as one if it names a person or gives a reason. */
export interface Decision {
  /** The decision. */
  readonly decision:
    /** To follow the session that a create request with an unknown outcome has created. */
    | 'adopt'
    /** To send a create request with an unknown outcome again. */
    | 'retry'
    /** To give up a create request with an unknown outcome: the session fails with `CREATE_ABANDONED`. */
    | 'abandon'
    /** To cancel the session. */
    | 'cancel'
    /** To poll the payment service before the next planned poll. */
    | 'refresh'
    /** To view the personal data of the session's request. */
    | 'reveal';
  /** The decider's name, as the caller passed it. By default, this package's client passes the identity of its Temporal client. */
  readonly by?: string;
  /** The reason, as the caller passed it. */
  readonly reason?: string;
  /** The session to adopt; only for `adopt`. */
  readonly sessionId?: string;
  /** The key that follows the session to adopt, or has followed it; only if the result is `SESSION_FOLLOWED`. */
  readonly followedBy?: string;
  /** The key that may have the session to adopt; only if the result is `SESSION_MAYBE_FOLLOWED`, and the key is known. */
  readonly maybeFollowedBy?: string;
  /**
   * `applied`, the outcome of a cancellation, or the error code that says why the decision was not applied. A cancellation or a
   * refresh is `pending` until its outcome is known.
   */
  readonly result: 'applied' | 'pending' | CancelOutcome | ErrorCode;
  /** The time at which the session recorded the decision; ISO 8601, UTC. */
  readonly at: string;
  /**
   * Distinguishes a decision about a create request from every other one, even if the workflow was reset. If a worker repeats a
   * step of a lost worker, the id stays the same. Other decisions have no id.
   */
  readonly id?: string;
}

/** True if the decision is about a create request with an unknown outcome. */
export const isAboutCreate = ({ decision }: Pick<Decision, 'decision'>): boolean =>
  decision === 'adopt' || decision === 'retry' || decision === 'abandon';
