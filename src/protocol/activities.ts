import type { SessionRequest } from '../contract/session-request';
import type { ExpectedSession, SessionSnapshot } from '../contract/snapshot';
import type { ServiceFailure } from '../errors/failures';
import type { CreateOutcome, IdentifiedSession } from './service-calls';
import type { SessionState } from './session';

/** Which of the worker's accounts an activity acts for. */
export interface AccountInput {
  /** The account's name in the worker's settings. */
  readonly account: string;
}

/** Input of the activity that creates a session. */
export interface CreateSessionInput extends AccountInput {
  /** The creation request, sent untouched. */
  readonly request: SessionRequest;
  /** How long the create may wait for its turn, in milliseconds. @default 45000, the longest */
  readonly withinMs?: number;
}

/** Input of an activity that asks about one session. */
export interface SessionInput extends AccountInput {
  /** The payment service's id of the session, a UUID. */
  readonly sessionId: string;
  /** The payment that the answer must be about; one about another fails the call. If absent, only the id is compared. */
  readonly expected?: ExpectedSession;
}

/** Polls each `everyMs` for `forMs` (0: once) and returns at the first report that differs from `known`. */
export interface PollSessionInput extends SessionInput {
  /** What is known already: a report that says the same is no news. */
  readonly known: Partial<SessionSnapshot>;
  /** The time between two polls, in milliseconds. */
  readonly everyMs: number;
  /** How long to poll, in milliseconds; 0 polls once. */
  readonly forMs: number;
  /** Somebody waits for this poll: it goes before the account's other polls. @default false */
  readonly urgent?: boolean;
}

/** What a poll found: the last report, or why there is none. */
export type PollResult =
  | { readonly outcome: 'seen'; readonly snapshot: SessionSnapshot }
  | { readonly outcome: 'failed'; readonly failure: ServiceFailure }
  /** The worker is stopping; nothing was learned. */
  | { readonly outcome: 'interrupted' };

/** The service's answer to a cancel; `refused`: it decided nothing, so the details must tell the session's true state. */
export type CancelResult =
  | { readonly outcome: 'answered'; readonly snapshot: SessionSnapshot }
  | { readonly outcome: 'refused'; readonly failure: ServiceFailure };

/** Input of the activity that reads another session. */
export interface ReadSessionInput {
  /** The session's key. */
  readonly key: string;
}

/** A session found at the service by its id. */
export type FindResult =
  | ({ readonly outcome: 'found'; readonly checkoutUrl: string } & IdentifiedSession)
  | { readonly outcome: 'failed'; readonly failure: ServiceFailure };

/** The I/O steps of a payment session. Their names are permanent: they live in recorded histories. */
export interface PaymentActivities {
  /** Makes sure that the worker has an access token, which never leaves the worker. */
  authenticate(input: AccountInput): Promise<void>;
  /** Sends the creation request at most once. */
  createSession(input: CreateSessionInput): Promise<CreateOutcome>;
  /** Asks for the session's details until there is news, or time is up. */
  pollSession(input: PollSessionInput): Promise<PollResult>;
  /** Asks the payment service to cancel the session. */
  cancelSession(input: SessionInput): Promise<CancelResult>;
  /** Looks for a session by its id, for `resolveCreate`. */
  findSession(input: SessionInput): Promise<FindResult>;
  /** Reads a payment session's state by its key, for workflows, which cannot query each other. */
  readSession(input: ReadSessionInput): Promise<SessionState>;
}
