import { sessionIdentity, type ExpectedSession, type SessionIdentity } from '../contract/identity';
import type { KnownReports } from '../contract/reports';
import type { SessionRequest } from '../contract/session-request';
import type { SessionSnapshot } from '../contract/statuses';
import type { ErrorCode } from '../errors/codes';
import type { CallFailure, ServiceFailure } from '../errors/failures';
import type { Cadence } from './cadence';
import type { ClaimOf, LedgerClaim } from './ledger/facts';
import type { SessionResult, SessionState } from './state/session';

/** The I/O steps of a payment session. Their names are permanent: they live in recorded histories. */
export interface PaymentActivities {
  /** Makes sure that the worker has an access token. Temporal never receives the token. */
  authenticate(input: AccountInput): Promise<void>;
  /**
   * Claims the key if the worker has a ledger, authenticates if it has no access token, and sends the create request at most once;
   * after a 401, once more with a new token.
   */
  createSession(input: CreateSessionInput): Promise<CreateResult>;
  /** Claims the key in the ledger, and looks up there the outcome of the key's create requests. */
  lookUpCreate(input: LookUpCreateInput): Promise<LookedUpCreate>;
  /** Polls the session's details once. */
  pollSession(input: PollSessionInput): Promise<PollResult>;
  /** Polls the session's details repeatedly, until there is something to report, such as a change, a failure or the end of its time. */
  followSession(input: FollowSessionInput): Promise<PollResult>;
  /** Asks the payment service to cancel the session. */
  cancelSession(input: SessionInput): Promise<CancelResult>;
  /** Reads a session by its id, for `resolveCreate` and `previewAdopt`, and after a cancel that was refused or failed. */
  findSession(input: SessionInput): Promise<FindResult>;
  /** Claims a session of the payment service for a key, so that no other key adopts it, or only checks whether the key could claim it. */
  claimSession(input: ClaimInput): Promise<ClaimResult>;
  /** Reads a payment session's state by its key, for workflows, which cannot query each other. */
  readSession(input: ReadSessionInput): Promise<SessionState>;
}

/** The worker's account that an activity acts for. */
export interface AccountInput {
  /** The account's name in the worker's settings. */
  readonly account: string;
}

/** Input of the activity that creates a session. */
export interface CreateSessionInput extends AccountInput {
  /** The body of the create request, sent unchanged. */
  readonly request: SessionRequest;
  /** The time left for the create request to get its turn, in milliseconds. The request waits for its turn for five seconds at most. */
  readonly withinMs: number;
  /**
   * The run that asks for the create request. If the activity starts again for another run, a reset has made that run. It does not know the
   * request's earlier outcome.
   */
  readonly runId: string;
  /**
   * The time since a create request of the session was first postponed or failed, in milliseconds. A session that has waited longer takes
   * its turn earlier.
   */
  readonly waitedMs?: number;
  /** The claim of the key, for the ledger if the worker has one. */
  readonly claim: KeyClaim;
  /**
   * True if the ledger has the key, or may have it. A worker without a ledger then sends nothing: the ledger may know the key's session.
   */
  readonly isClaimed?: true;
}

/** A workflow's claim of its key, without the members that the worker adds. */
export type KeyClaim = Omit<LedgerClaim, 'fingerprint' | 'account' | 'request' | 'at'>;

/** Input of an activity that calls the payment service for one session. */
export interface SessionInput extends AccountInput {
  /** The payment service's id of the session, a UUID. */
  readonly sessionId: string;
  /**
   * The payment that the answer must be about; an answer about a different payment fails the call. If absent, only the id is
   * compared.
   */
  readonly expected?: ExpectedSession;
  /** Present if the session is in the ledger. If the worker's ledger answers soon, it has a new state before the workflow does. */
  readonly onLedger?: LedgerPlace;
}

/** The session's place in the ledger, which the ledger needs to record a new state. */
export interface LedgerPlace extends ClaimOf {
  /** The number of known states. */
  readonly states: number;
  /** The known facts: a report that repeats them is not a new state. */
  readonly known: KnownReports;
}

/** Input of the activity that polls a session once. */
export interface PollSessionInput extends SessionInput {
  /** True if the poll goes before the account's other polls: a caller waits, or the deadline has passed. @default false */
  readonly urgent?: boolean;
}

/** Input of the activity that follows a session. Its times count from when the activity was scheduled. */
export interface FollowSessionInput extends PollSessionInput {
  /** The known facts: a report that repeats them is not new. */
  readonly known: KnownReports;
  /** The intervals between polls. */
  readonly cadence: Cadence;
  /** The time since the last change, in milliseconds. */
  readonly sinceChangeMs: number;
  /** The time to follow the session for, in milliseconds. */
  readonly forMs: number;
  /**
   * The longest interval, in milliseconds, at which a worker may hold the session between two polls. Once intervals are longer, the
   * activity ends with the report of its last poll. If absent, or if the worker has no room, each poll is an attempt of its own, and
   * the Temporal server waits for the next.
   */
  readonly heldUpToMs?: number;
  /** True if the first poll is due, and any answer to it must be reported. @default false */
  readonly atOnce?: boolean;
}

/** The result of a poll: the last report, or the reason for its absence. */
export type PollResult =
  | {
      readonly outcome: 'seen';
      readonly snapshot: SessionSnapshot;
      /**
       * The time since the previous poll, in milliseconds: the reported change is about this old at most. Only for a new report of
       * `followSession`.
       */
      readonly sinceLookMs?: number;
      /** The time from scheduling the activity to the start of the poll, in milliseconds. Only for a report of `followSession`. */
      readonly lookedAfterMs?: number;
    }
  | { readonly outcome: 'failed'; readonly failure: ServiceFailure }
  /** The poll was broken off, for instance because the worker stops. */
  | { readonly outcome: 'interrupted' };

/**
 * The result of a cancel. `refused`: the service refused it, or the call failed. The workflow then reads the session's details to learn its
 * true state.
 */
export type CancelResult =
  | { readonly outcome: 'answered'; readonly snapshot: SessionSnapshot }
  | { readonly outcome: 'refused'; readonly failure: ServiceFailure };

/** Input of the activity that reads another session. */
export interface ReadSessionInput {
  /** The session's key. */
  readonly key: string;
}

/**
 * The result of creating a session. `notAuthenticated`: the worker got no token, so it sent nothing. `notSent`: nothing was created, for
 * instance because the worker could not record in advance that it was about to send the request.
 */
export type CreateResult = (
  | SentCreate
  | { readonly outcome: 'notAuthenticated'; readonly failure: ServiceFailure }
  | { readonly outcome: 'notSent'; readonly failure: CallFailure }
  | RecordedSession
  | FailedBefore
) & {
  /** True if the ledger records the session's events: the key is claimed there, or may be. */
  readonly onLedger?: true;
};

/** The result of creating a session, other than a missing token. */
export type EndedCreate = Exclude<CreateResult, { outcome: 'notAuthenticated' }>;

/** The outcome of a create call. `isRepeated`: the request may have been sent before, so the worker did not send it again. */
export type SentCreate = CreateOutcome & { readonly isRepeated?: true } & LostBefore;

/** The ledger's further facts about the key's create requests. */
export interface LostBefore {
  /**
   * The number of earlier create requests of the key that were or may have been sent, and whose answers were lost. The run may know of some
   * of them.
   * @default 0
   */
  readonly lostCreates?: number;
}

/**
 * The outcome of a call that creates a session: `created`, or how far the call got. Activities pass it on to workflows.
 */
export type CreateOutcome =
  | {
      readonly outcome: 'created';
      readonly sessionId: string;
      /** The reference that the service repeated (contract A10), or that of the request if the ledger knew the session. */
      readonly referenceId: string | null;
      readonly checkoutUrl: string;
    }
  | FailedCreate;

export interface FailedCreate {
  /**
   * `notSent`: nothing was created, and the same call may be repeated. `rejected`: nothing was created, and the same call would be
   * rejected again. `unknown`: the service may or may not have created a session.
   */
  readonly outcome: 'notSent' | 'rejected' | 'unknown';
  readonly failure: ServiceFailure;
  /** The session that an answer with the outcome `unknown` names: the service may have created it. */
  readonly sessionId?: string;
}

/** The key's session ended in an earlier workflow, which the Temporal server has usually forgotten. The ledger has the result. */
export interface RecordedSession {
  readonly outcome: 'recorded';
  readonly result: SessionResult;
}

/** An earlier workflow of the key failed. The ledger has the reason. */
export interface FailedBefore {
  readonly outcome: 'failedBefore';
  readonly failure: CallFailure;
}

/** Input of the activity that looks up the create requests of a key in the ledger, for a workflow that may not know their outcome. */
export interface LookUpCreateInput extends Pick<CreateSessionInput, 'account' | 'request' | 'claim'> {
  /** True if the ledger has the key, or may have it: a worker without a ledger cannot answer. */
  readonly isClaimed?: true;
}

/** The ledger's facts about the key's create requests; empty if the worker has no ledger. */
export interface LookedUpCreate {
  /** The outcome. Absent if the ledger knows no session of the key, and no create request beyond those that the workflow knows. */
  readonly known?: EndedCreate;
  /** True if the ledger records the session's events. */
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

/** Input of the activity that claims a session of the payment service for a key, or only checks whether it could. */
export interface ClaimInput extends ClaimOf {
  /** The payment service's id, a UUID. */
  readonly sessionId: string;
  /** True if the activity only checks, and claims nothing. @default false */
  readonly onlyLook?: boolean;
  /** True if the ledger has the key, or may have it: only a worker with the ledger may claim the session. */
  readonly isClaimed?: true;
}

/** The answer to a claim of a session of the payment service. The key may have the session only if {@link isFree} is true. */
export interface ClaimResult {
  /** Another key that follows the session, or has followed it. */
  readonly followedBy?: string;
  /** True if it is not clear yet whether another key has the session. */
  readonly isUnclear?: true;
  /** The other key, if it is known: its create request may have made the session, or the key has claimed the session. */
  readonly maybeFollowedBy?: string;
  /** True if the ledger has recorded the session for the key. */
  readonly onLedger?: true;
}

/** True if no other key is known to have the session, and none may be about to get it. */
export const isFree = ({ followedBy, isUnclear }: ClaimResult): boolean =>
  followedBy === undefined && isUnclear !== true;

/**
 * The type of the workflow whose id is a claim of a session of the payment service. The workflow does nothing. The Temporal server lets one
 * such workflow start, and refuses a second one while it remembers the first.
 */
export const CLAIM_WORKFLOW_TYPE = 'paymentSessionClaim';

/** The field of a claim's memo that names the key which has the claim. */
export const CLAIMED_FOR = 'key';

export const claimWorkflowId = (sessionId: string): string =>
  `payment-session-claim/${sessionIdentity(sessionId)}`;

/**
 * Failures of a worker that cannot call the payment service for the account: it lacks the account or valid credentials, or its
 * settings are malformed. It has not sent the call. Another worker may be able to send it, or this worker later. So the worker releases the
 * call, and the session waits.
 */
const GIVEN_BACK: readonly ErrorCode[] = [
  'SERVICE_CREDENTIALS_REJECTED',
  'UNKNOWN_ACCOUNT',
  'INVALID_SETTINGS',
];

/** True if a call that failed with this code goes to another worker, or waits for one. */
export const isGivenBack = (code: ErrorCode | undefined): boolean =>
  code !== undefined && GIVEN_BACK.includes(code);
