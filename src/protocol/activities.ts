import { sessionIdentity, type ExpectedSession, type SessionIdentity } from '../contract/identity';
import type { KnownReports } from '../contract/reports';
import type { SessionRequest } from '../contract/session-request';
import type { SessionSnapshot } from '../contract/statuses';
import type { ErrorCode } from '../errors/codes';
import type { CallFailure, ServiceFailure } from '../errors/failures';
import type { Cadence } from './cadence';
import type { ClaimOf, LedgerClaim } from './ledger/facts';
import type { SessionResult, SessionState } from './state/session';

/**
 * The activities of a payment session: its calls to the payment service and the ledger. Temporal records their names in histories, so the
 * names are permanent.
 */
export interface PaymentActivities {
  /** Makes sure that the worker has an access token. Temporal never receives the token. */
  authenticate(input: AccountInput): Promise<void>;
  /**
   * Sends the create request at most once, or twice if the service refuses the first token with a 401. A worker with a ledger first claims
   * the key there. A worker without an access token first gets a token.
   */
  createSession(input: CreateSessionInput): Promise<CreateResult>;
  /** Claims the key in the ledger, and looks up the outcome of the key's create requests there. */
  lookUpCreate(input: LookUpCreateInput): Promise<LookedUpCreate>;
  /** Polls the session's details once. */
  pollSession(input: PollSessionInput): Promise<PollResult>;
  /**
   * Polls the session's details repeatedly. Returns when there is something to report: a change, a failure, or the end of the given time.
   */
  followSession(input: FollowSessionInput): Promise<PollResult>;
  /** Asks the payment service to cancel the session. */
  cancelSession(input: SessionInput): Promise<CancelResult>;
  /** Reads a session by its id. `resolveCreate` and `previewAdopt` need it, and so does a cancellation that was refused or failed. */
  findSession(input: SessionInput): Promise<FindResult>;
  /**
   * Claims a session of the payment service for a key, so that no other key can adopt the session. With `onlyLook`, only checks whether the
   * key could claim the session.
   */
  claimSession(input: ClaimInput): Promise<ClaimResult>;
  /** Reads a payment session's state by its key. Workflows use this activity, because they cannot query each other. */
  readSession(input: ReadSessionInput): Promise<SessionState>;
}

/** The account of the payment service in whose name an activity acts. */
export interface AccountInput {
  /** The account's name in the worker's settings. */
  readonly account: string;
}

/** Input of the activity that creates a session. */
export interface CreateSessionInput extends AccountInput {
  /** The body of the create request, sent unchanged. */
  readonly request: SessionRequest;
  /**
   * The time left, in milliseconds, in which the worker may send the create request. The worker limits the rate of its calls, so the
   * request waits for its turn, but for five seconds at most.
   */
  readonly withinMs: number;
  /**
   * The workflow run that asks for the create request. If the activity starts again for another run, the workflow was reset. The new run
   * does not know the outcome of the earlier request.
   */
  readonly runId: string;
  /**
   * The time since a create request of the session was first postponed or failed, in milliseconds. Sessions that have waited longer are
   * served first.
   */
  readonly waitedMs?: number;
  /** The claim to make if the worker has a ledger. A claim records that the key belongs to this workflow. */
  readonly claim: KeyClaim;
  /**
   * True if the ledger has the key, or may have it. A worker without a ledger then sends nothing, because the key may already have a
   * session that only the ledger knows.
   */
  readonly isClaimed?: true;
}

/** A workflow's claim of its key, as the workflow passes it to an activity. The worker adds the missing members. */
export type KeyClaim = Omit<LedgerClaim, 'fingerprint' | 'account' | 'request' | 'at'>;

/** Input of an activity that calls the payment service for one session. */
export interface SessionInput extends AccountInput {
  /** The payment service's id of the session, a UUID. */
  readonly sessionId: string;
  /**
   * The payment that the answer must be about. An answer about a different payment fails the call. If absent, only the session's id is
   * compared.
   */
  readonly expected?: ExpectedSession;
  /**
   * Present if the session is in the ledger. The activity then records a new state in the ledger before it returns, if the ledger answers
   * in time.
   */
  readonly onLedger?: LedgerPlace;
}

/** The claim to which the session belongs, and the facts that decide whether a report is a new state for the ledger. */
export interface LedgerPlace extends ClaimOf {
  /** The number of known states. */
  readonly states: number;
  /** The known facts. A report that only repeats them is not a new state. */
  readonly known: KnownReports;
}

/** Input of the activity that polls a session once. */
export interface PollSessionInput extends SessionInput {
  /** True if the poll goes before the account's other polls, because a caller waits or the deadline has passed. @default false */
  readonly urgent?: boolean;
}

/** Input of the activity that follows a session. All times count from the time at which the activity was scheduled. */
export interface FollowSessionInput extends PollSessionInput {
  /** The known facts. A report that only repeats them is not reported. */
  readonly known: KnownReports;
  /** The intervals between polls. */
  readonly cadence: Cadence;
  /** The time since the last change, in milliseconds. */
  readonly sinceChangeMs: number;
  /** The time to follow the session for, in milliseconds. */
  readonly forMs: number;
  /**
   * The longest interval between polls, in milliseconds, at which a worker may hold the session. A worker that holds a session keeps the
   * session in its memory between two polls. Once intervals are longer, the activity ends with the report of its last poll.
   *
   * If absent, or if the worker's memory is full, each poll is a separate attempt of the activity, and the Temporal server waits until the
   * next attempt.
   */
  readonly heldUpToMs?: number;
  /** True if the first poll is due now, and the activity must return after it, whatever the answer is. @default false */
  readonly atOnce?: boolean;
}

/** The result of a poll: the service's report, or the reason why there is none. */
export type PollResult =
  | {
      readonly outcome: 'seen';
      readonly snapshot: SessionSnapshot;
      /**
       * The time since the previous poll, in milliseconds, which is the maximum age of the reported change. Only for a new report of
       * `followSession`.
       */
      readonly sinceLookMs?: number;
      /** The time between scheduling the activity and the start of the poll, in milliseconds. Only for a report of `followSession`. */
      readonly lookedAfterMs?: number;
    }
  | { readonly outcome: 'failed'; readonly failure: ServiceFailure }
  /** The poll was broken off, for instance because the worker stops. */
  | { readonly outcome: 'interrupted' };

/**
 * The result of a cancel call. `refused` means that the service refused the call, or that the call failed. The workflow then reads the
 * session's details to learn the session's true state.
 */
export type CancelResult =
  | { readonly outcome: 'answered'; readonly snapshot: SessionSnapshot }
  | { readonly outcome: 'refused'; readonly failure: ServiceFailure };

/** Input of the activity that reads a session's state by its key. */
export interface ReadSessionInput {
  /** The session's key. */
  readonly key: string;
}

/**
 * The result of creating a session:
 * - `notAuthenticated`: the worker got no access token, so it sent nothing.
 * - `notSent`: nothing was created. For instance, the worker must record before each create request that it is about to send it, and could
 *   not.
 * - `recorded` and `failedBefore`: the ledger has the outcome of an earlier workflow of the key.
 */
export type CreateResult = (
  | SentCreate
  | { readonly outcome: 'notAuthenticated'; readonly failure: ServiceFailure }
  | { readonly outcome: 'notSent'; readonly failure: CallFailure }
  | RecordedSession
  | FailedBefore
) & {
  /** True if the key is claimed in the ledger, or may be. The ledger then records the session's events. */
  readonly onLedger?: true;
};

/** The result of creating a session, except for a missing token. */
export type EndedCreate = Exclude<CreateResult, { outcome: 'notAuthenticated' }>;

/** The outcome of a create call. `isRepeated` is true if an earlier attempt may have sent the request, so this attempt did not send it. */
export type SentCreate = CreateOutcome & { readonly isRepeated?: true } & LostBefore;

/** A fact of the ledger about the key's earlier create requests. */
export interface LostBefore {
  /**
   * The number of earlier create requests of the key that may have reached the service and whose answers were lost. The workflow run may
   * already know some of them.
   * @default 0
   */
  readonly lostCreates?: number;
}

/** The outcome of a create call: `created`, or one of the failures of `FailedCreate`. Activities pass it on to workflows. */
export type CreateOutcome =
  | {
      readonly outcome: 'created';
      readonly sessionId: string;
      /**
       * The reference that the service repeated (contract rule A10, docs/contract.md). If the ledger knew the session, the reference of the
       * request.
       */
      readonly referenceId: string | null;
      readonly checkoutUrl: string;
    }
  | FailedCreate;

export interface FailedCreate {
  /**
   * The effect of the failed call:
   * - `notSent`: nothing was created. The call may be repeated.
   * - `rejected`: nothing was created. If the call is repeated, the service rejects it again.
   * - `unknown`: the service may or may not have created a session.
   */
  readonly outcome: 'notSent' | 'rejected' | 'unknown';
  readonly failure: ServiceFailure;
  /** The session id in an answer that could not be believed. Only with the outcome `unknown`: the service may have created this session. */
  readonly sessionId?: string;
}

/** An earlier workflow of the key has ended, and the ledger has its result. The Temporal server has usually dropped that workflow. */
export interface RecordedSession {
  readonly outcome: 'recorded';
  readonly result: SessionResult;
}

/** An earlier workflow of the key failed. The ledger has the reason. */
export interface FailedBefore {
  readonly outcome: 'failedBefore';
  readonly failure: CallFailure;
}

/**
 * Input of the activity that looks up a key's create requests in the ledger. A workflow needs it if it may not know the outcome of its
 * requests.
 */
export interface LookUpCreateInput extends Pick<CreateSessionInput, 'account' | 'request' | 'claim'> {
  /** True if the ledger has the key, or may have it. A worker without a ledger then cannot answer. */
  readonly isClaimed?: true;
}

/** The ledger's facts about the key's create requests. Empty if the worker has no ledger. */
export interface LookedUpCreate {
  /** The outcome. Absent if the ledger knows no session of the key, and only create requests that the workflow knows. */
  readonly known?: EndedCreate;
  /** True if the key is claimed in the ledger. The ledger then records the session's events. */
  readonly onLedger?: true;
}

/** The result of reading a session by its id. */
export type FindResult =
  | ({ readonly outcome: 'found'; readonly checkoutUrl: string } & IdentifiedSession)
  | { readonly outcome: 'failed'; readonly failure: ServiceFailure };

/** A session of the payment service, read by its id. */
export interface IdentifiedSession {
  readonly snapshot: SessionSnapshot;
  readonly identity: SessionIdentity;
}

/** Input of the activity that claims a session of the payment service for a key. */
export interface ClaimInput extends ClaimOf {
  /** The payment service's id, a UUID. */
  readonly sessionId: string;
  /** True if the activity only checks whether the key could claim the session. @default false */
  readonly onlyLook?: boolean;
  /** True if the ledger has the key, or may have it. Then only a worker with the ledger may claim the session. */
  readonly isClaimed?: true;
}

/** The answer to a claim of a session of the payment service. The claim has succeeded only if {@link isFree} is true. */
export interface ClaimResult {
  /** Another key that follows the session, or has followed it. */
  readonly followedBy?: string;
  /** True if it is not yet clear whether another key has the session. */
  readonly isUnclear?: true;
  /**
   * The key that may have the session, if that key is known. Its create request may have created the session, or it has claimed the
   * session.
   */
  readonly maybeFollowedBy?: string;
  /** True if the ledger has recorded the session for the key. */
  readonly onLedger?: true;
}

/** True if no other key has the session, and no other key may be about to get it. */
export const isFree = ({ followedBy, isUnclear }: ClaimResult): boolean =>
  followedBy === undefined && isUnclear !== true;

/**
 * The type of a workflow that does nothing: the workflow's id is a claim of a session of the payment service. The Temporal server starts
 * only one workflow with an id. Until it has dropped that workflow, it refuses a second one, so no second key can claim the session.
 */
export const CLAIM_WORKFLOW_TYPE = 'paymentSessionClaim';

/** The memo field of a claim that names the key for which the session was claimed. */
export const CLAIMED_FOR = 'key';

export const claimWorkflowId = (sessionId: string): string =>
  `payment-session-claim/${sessionIdentity(sessionId)}`;

/**
 * The failures of a worker that cannot call the payment service for the account: the worker lacks the account or valid credentials, or its
 * settings are malformed. The call was not sent. Another worker may be able to send it, or this worker may later. So the worker releases
 * the call, and the session waits.
 */
const GIVEN_BACK: readonly ErrorCode[] = [
  'SERVICE_CREDENTIALS_REJECTED',
  'UNKNOWN_ACCOUNT',
  'INVALID_SETTINGS',
];

/** True if a call that failed with this code waits for another worker, or for a change of this worker's settings. */
export const isGivenBack = (code: ErrorCode | undefined): boolean =>
  code !== undefined && GIVEN_BACK.includes(code);
