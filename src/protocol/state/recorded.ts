/**
 * The parts of a session's state that the session records, as callers see them. Temporal's histories contain these shapes, so the shapes
 * are permanent.
 */
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
  /** The session is not created yet: its create request waits, or is being sent. */
  | 'creating'
  /**
   * The outcome of a create request is unknown, and the session waits for `resolveCreate`. The response was lost or could not be believed,
   * or a reset has removed the request from the workflow's history.
   */
  | 'parked'
  /** The session was created at the payment service. Workers poll it until it ends. */
  | 'open'
  /** A cancellation of the created session was requested, and its outcome is not known yet. */
  | 'cancelling'
  /** The session is over. */
  | 'ended';

/** A state of the session, with the time at which a worker first saw it. */
export interface StateHistoryEntry {
  /** The status that the service reported, or `Cancelled` for a session that was cancelled before it was created. */
  readonly status: ReportedStatus;
  /** The detail code. Absent if the service reported no code, as for e-Transfers, or a code that cannot be read. */
  readonly code?: ReportedCode;
  /** True if the service reported a code that cannot be read, for instance because it is not text. */
  readonly unreadableCode?: true;
  /** The time at which a worker first saw the state; ISO 8601, UTC. */
  readonly firstSeenAt: string;
  /** The call that showed the state: the create request, a poll or a cancellation. */
  readonly source: StateSource;
}

/** The call that showed a state. */
export type StateSource = 'create' | 'poll' | 'cancel';

/** An observation that the contract does not foresee, or a full record. An anomaly does not end the session. */
export interface Anomaly {
  /** The kind of anomaly. */
  readonly kind:
    /** A status that this version does not know. */
    | 'unknownStatus'
    /** A detail code that this version does not know, or does not expect with this status or kind. */
    | 'unknownCode'
    /** A detail code that cannot be read, for instance because it is not text. */
    | 'unreadableCode'
    /** `Completed` without a detail code, for a kind that has codes. The session may or may not be paid. */
    | 'missingCode'
    /** A status that goes backwards. The status was ignored. */
    | 'backwardStatus'
    /** A create request with an unknown outcome was retried or given up. A session that no workflow follows may exist at the service. */
    | 'possibleOrphan'
    /** The service says that it does not know the session. */
    | 'sessionUnknown'
    /** The service returned a different session. The answer was ignored. */
    | 'wrongSession'
    /** The limit of recorded states, anomalies or decisions was reached. Later entries are dropped. */
    | 'recordFull';
  /** The unknown status or code itself, or the observation in words. `erased` if the ledger has erased the detail. */
  readonly detail: string;
  /** The time of the observation; ISO 8601, UTC. */
  readonly at: string;
}

/** The outcome of a cancellation. */
export type CancelOutcome =
  /** The service reported the session as `Cancelled`. */
  | 'cancelled'
  /** The cancellation came before the session was created. No session was created, and none will be. */
  | 'neverCreated'
  /**
   * As `neverCreated`, except that an earlier create request had an unknown outcome and may have created a session. See the anomaly
   * `possibleOrphan`.
   */
  | 'possiblyCreated'
  /** The session had ended before the cancellation was requested. */
  | 'alreadyEnded'
  /** The session was `Completed` before the service cancelled it, with or without the PAD signature. */
  | 'lostToCompletion'
  /** The session failed before the service cancelled it. */
  | 'lostToFailure'
  /** The session expired before the service cancelled it. */
  | 'lostToExpiry';

/** A cancellation that was requested, and its outcome. */
export interface CancelRecord {
  /** The time of the request; ISO 8601, UTC. */
  readonly requestedAt: string;
  /** The cause of the cancellation: a caller, or the session's `deadline`. */
  readonly by: 'caller' | 'deadline';
  /** The outcome. Absent until it is known. */
  readonly outcome?: CancelOutcome;
}

/** The reason why a session's calls currently fail or wait. */
export interface Trouble extends Pick<SessionFailure, 'code' | 'message'> {
  /** The time of the first failure; ISO 8601, UTC. */
  readonly since: string;
  /** The number of calls in a row that failed or were postponed. */
  readonly failures: number;
  /** The planned time of the next call; ISO 8601, UTC. Absent if no call is planned. */
  readonly until?: string;
}

/** A wait for a person's decision about a create request whose outcome is unknown. */
export interface Park {
  /** The start of the wait; ISO 8601, UTC. */
  readonly at: string;
  /** The error code that says why the outcome is unknown. */
  readonly code: ErrorCode;
  /**
   * The id of this wait. After a reset of the workflow, a new wait has a new id. If a worker only repeats the step of a lost worker, the
   * id stays the same.
   */
  readonly id: string;
  /**
   * The session id in a response that could not be believed or fully read. The create request may have created this session, so check it
   * at the payment service.
   */
  readonly sessionId?: string;
}

/** A person's decision about the session. A cancellation or a refresh is recorded as a decision only if it names a person or a reason. */
export interface Decision {
  /** The decision. */
  readonly decision:
    /** To adopt: follow the session that a create request with an unknown outcome has created. */
    | 'adopt'
    /** To retry: send another create request after a request with an unknown outcome. */
    | 'retry'
    /** To give up after a create request with an unknown outcome: the session fails with `CREATE_ABANDONED`. */
    | 'abandon'
    /** To cancel the session. */
    | 'cancel'
    /** To poll the payment service before the next planned poll. */
    | 'refresh'
    /** To view the personal data in the session's request. */
    | 'reveal';
  /**
   * The name of the person who decided, as the caller passed it. The default of this package's client is the identity of its Temporal
   * client.
   */
  readonly by?: string;
  /** The reason, as the caller passed it. */
  readonly reason?: string;
  /** The session to adopt. Only for `adopt`. */
  readonly sessionId?: string;
  /** The other key that follows the session to adopt, or has followed it. Only with the result `SESSION_FOLLOWED`. */
  readonly followedBy?: string;
  /** The other key that may have the session to adopt, if that key is known. Only with the result `SESSION_MAYBE_FOLLOWED`. */
  readonly maybeFollowedBy?: string;
  /**
   * The result: `applied`, the outcome of a cancellation, or the error code that says why the decision was not applied. A cancellation or
   * a refresh is `pending` until its outcome is known.
   */
  readonly result: 'applied' | 'pending' | CancelOutcome | ErrorCode;
  /** The time at which the session recorded the decision; ISO 8601, UTC. */
  readonly at: string;
  /**
   * The id of a decision about a create request. Other decisions have no id. After a reset of the workflow, a new decision has a new id.
   * If a worker only repeats the step of a lost worker, the id stays the same.
   */
  readonly id?: string;
}

/** True if the decision is about a create request with an unknown outcome. */
export const isAboutCreate = ({ decision }: Pick<Decision, 'decision'>): boolean =>
  decision === 'adopt' || decision === 'retry' || decision === 'abandon';
