import { Context, type Info } from '@temporalio/activity';
import { InvalidRequestError, isPaysessionError, ServiceError, type ServiceFailure } from '../src/errors';
import { validateSessionRequest } from '../src/contract';
import { notSent, type PacedService, type SessionCallOptions } from '../src/service';
import { writesAhead } from '../src/protocol/worker-identity';
import type { ClaimInput, ClaimResult } from '../src/protocol/claims';
import type { FailedCreate } from '../src/protocol/service-calls';
import { WORKFLOW_ID_PREFIX } from '../src/protocol/names';
import type { SessionState } from '../src/protocol/session';
import type { ActivityCompletion } from './completion';
import { toApplicationFailure } from './failures';
import { toEndOfAttempt } from './follow/end-of-attempt';
import { followSession, type NewsListener } from './follow/follow-session';
import type { HeldSessions } from './follow/held-sessions';
import type { PollTracer } from './follow/poll-tracer';
import { withHeartbeats } from './heartbeats';
import { pollSession } from './poll-session';
import { isRepeated, repeatedCreate } from './repeated-create';
import { NotOnRecordError, WriteAhead, type Alive } from './write-ahead';
import type {
  CancelResult,
  CreateResult,
  CreateSessionInput,
  FindResult,
  LostCreate,
  LostCreateInput,
  PaymentActivities,
  SessionInput,
} from '../src/protocol/activities';

/** A cancellation reaches an activity in the answer to a heartbeat. */
const CREATE_HEARTBEAT_EVERY_MS = 1_000;
/** Most calls end before the first one, which costs the server a write. */
const HEARTBEAT_EVERY_MS = 3_000;
/** A create waits so long for a token; the workflow sees to one that takes longer. */
const TOKEN_WITHIN_MS = 2_000;

/** Finds the payment service of an account. Throws `PaysessionError` `UNKNOWN_ACCOUNT`. */
export type ServiceDirectory = (account: string) => PacedService;

/** Reads a payment session's state by its key. Throws `PaysessionError` `SESSION_NOT_FOUND`. */
export type StateReader = (key: string) => Promise<SessionState>;

/** Names the worker that took an activity, by its identity at the engine; `undefined` where the history does not tell. */
export type TakerReader = (
  execution: { readonly workflowId: string; readonly runId: string },
  activityId: string,
) => Promise<string | undefined>;

/** Has the cancel of a session go on at once, by the id of its workflow. It must not throw. */
export type CancelResumer = (workflowId: string) => void;

/** Knows which key follows a session of the payment service. Each gives the key of another session that does, or has done. */
export interface Claims {
  /** A session was created for a key. */
  created(sessionId: string, key: string): void;
  /** Claims nothing. */
  followerOf(sessionId: string, key: string): Promise<string | undefined>;
  /** Gives nothing where the key has it now, and no other one can have it. */
  claim(sessionId: string, key: string): Promise<string | undefined>;
}

/** What the activities of a worker need. */
export interface ActivitiesOptions {
  /** Finds the payment service of an account. */
  readonly serviceOf: ServiceDirectory;
  /** Reads another session's state, for `readPaymentSession` in workflows. */
  readonly readState: StateReader;
  /**
   * Puts on record that a create is about to be sent, before it is: `client.activity`. Without it, a create that is lost with its
   * worker counts as one that may have been sent. @default no record
   */
  readonly completion?: ActivityCompletion;
  /** Reads who took an activity. @default a create that is lost counts as one that may have been sent */
  readonly readTaker?: TakerReader;
  /** Is told of cancels that failed while the service was down, once it is back. @default they wait for their back-off */
  readonly resumeCancel?: CancelResumer;
  /** Sees to it that one key follows a session of the payment service. @default any that a person names is adopted */
  readonly claims?: Claims;
  /** Keeps sessions in hand between polls that are seconds or minutes apart. @default each poll is an attempt of its own */
  readonly held?: HeldSessions;
  /** Milliseconds since the epoch, where the clock is not the machine's. @default the machine's */
  readonly now?: () => number;
  /** Hears of each change of a session's state that following it has shown. */
  readonly onNews?: NewsListener;
  /** Traces the polls of sessions that are followed. @default not traced */
  readonly tracePoll?: PollTracer | undefined;
}

/** The I/O steps of a payment session: thin translations of the service client into Temporal's terms. */
export function createActivities(options: ActivitiesOptions): PaymentActivities {
  const { serviceOf, readState, resumeCancel, held, now, onNews, tracePoll } = options;
  return {
    authenticate: translating(
      alive(async ({ account }) => {
        await serviceOf(account).authenticate({ signal: Context.current().cancellationSignal });
      }),
    ),
    createSession: translating((input) => createSession(options, input)),
    lookUpLostCreate: translating((input) => lookUpLostCreate(options, input)),
    pollSession: translating(
      alive((input) => {
        const signal = Context.current().cancellationSignal;
        return pollSession(serviceOf(input.account), input, { signal });
      }),
    ),
    followSession: translating(
      async (input) => followSession(serviceOf(input.account), input, { held, now, onNews, tracePoll }),
      toEndOfAttempt,
    ),
    cancelSession: translating(
      alive((input) => {
        held?.release(input);
        return cancelSession(serviceOf(input.account), input, resumeCancel);
      }),
    ),
    findSession: translating(alive((input) => findSession(serviceOf(input.account), input))),
    claimSession: translating((input) => claimSession(options, input)),
    readSession: translating(({ key }) => readState(key)),
  };
}

/** An activity whose errors reach the engine with their codes. */
function translating<I, O>(
  activity: (input: I) => Promise<O>,
  translate = toApplicationFailure,
): (input: I) => Promise<O> {
  return async (input) => {
    try {
      return await activity(input);
    } catch (error) {
      throw translate(error);
    }
  };
}

/** An activity whose worker is noticed to be lost while it runs. */
function alive<I, O>(activity: (input: I) => Promise<O>): (input: I) => Promise<O> {
  return (input) => withHeartbeats(HEARTBEAT_EVERY_MS, async () => activity(input));
}

/** Its cancellation ends the waits for a token and for its turn only: a create that has started is always waited for. */
async function createSession(options: ActivitiesOptions, input: CreateSessionInput): Promise<CreateResult> {
  const { claims } = options;
  const { workflowExecution } = Context.current().info;
  const result = await createOnce(options, input);
  if (result.outcome === 'created' && workflowExecution !== undefined)
    claims?.created(result.sessionId, workflowExecution.workflowId.slice(WORKFLOW_ID_PREFIX.length));
  return result;
}

async function createOnce(
  { serviceOf, completion }: ActivitiesOptions,
  input: CreateSessionInput,
): Promise<CreateResult> {
  const context = Context.current();
  if (isRepeated(context.info, input.runId)) return { outcome: 'unknown', failure: repeatedCreate() };
  const service = prepared(serviceOf, input);
  if ('failure' in service) return service;
  const create = (alive: Alive) => authenticateAndCreate(service, input, alive);
  if (completion !== undefined) return new WriteAhead(completion, context).run(create);
  return withHeartbeats(CREATE_HEARTBEAT_EVERY_MS, () => create({ signal: context.cancellationSignal }));
}

async function authenticateAndCreate(
  service: PacedService,
  input: CreateSessionInput,
  alive: Alive,
): Promise<CreateResult> {
  const failure = await tokenFailure(service, alive.signal);
  if (failure !== undefined) return { outcome: 'notAuthenticated', failure };
  const { info } = Context.current();
  const withinMs = input.withinMs === undefined ? {} : { withinMs: leftOf(input.withinMs, info) };
  try {
    return await service.createSession(input.request, { ...alive, ...withinMs, waitedMs: input.waitedMs });
  } catch (error) {
    if (error instanceof NotOnRecordError) return { outcome: 'notSent', failure: error.failure };
    throw error;
  }
}

async function lookUpLostCreate(
  { readTaker }: ActivitiesOptions,
  { activityId }: LostCreateInput,
): Promise<LostCreate> {
  const { workflowExecution } = Context.current().info;
  const taker = workflowExecution && (await readTaker?.(workflowExecution, activityId));
  return { writesAhead: taker !== undefined && writesAhead(taker) };
}

/** Why there is no access token; `undefined` where there is one. */
async function tokenFailure(service: PacedService, signal: AbortSignal): Promise<ServiceFailure | undefined> {
  try {
    const soon = AbortSignal.timeout(TOKEN_WITHIN_MS);
    await service.authenticate({ signal: AbortSignal.any([signal, soon]) });
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.failure;
    throw error;
  }
}

/** What is left of a time that began when the activity was scheduled. */
function leftOf(withinMs: number, { scheduledTimestampMs }: Info): number {
  return Math.max(1, withinMs - Math.max(0, Date.now() - scheduledTimestampMs));
}

/**
 * The service to send a create to. Throws `PaysessionError` for what no repetition can help; any other error of this step
 * is an outcome too, since a failed activity would pass for a create whose answer was lost.
 */
function prepared(serviceOf: ServiceDirectory, input: CreateSessionInput): PacedService | FailedCreate {
  try {
    // Spelling is checked where a session starts; one that an earlier version has taken is created as it was taken.
    const checked = validateSessionRequest(input.request, { misspeltFields: 'ignored' });
    if (!checked.valid) throw new InvalidRequestError(checked.failures);
    return serviceOf(input.account);
  } catch (error) {
    if (isPaysessionError(error)) throw error;
    return { outcome: 'notSent', failure: notSent('create', error) };
  }
}

/** Whatever fails is an answer too: the workflow looks at the details, and says how long it waits before the next cancel. */
async function cancelSession(
  service: PacedService,
  input: SessionInput,
  resume?: CancelResumer,
): Promise<CancelResult> {
  const workflowId = Context.current().info.workflowExecution?.workflowId;
  const onServiceBack = workflowId === undefined ? undefined : () => resume?.(workflowId);
  try {
    const options = { ...expecting(input), onServiceBack };
    return { outcome: 'answered', snapshot: await service.cancelSession(input.sessionId, options) };
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: 'refused', failure: error.failure };
    throw error;
  }
}

async function findSession(service: PacedService, input: SessionInput): Promise<FindResult> {
  try {
    const found = await service.identifySession(input.sessionId, expecting(input));
    return { outcome: 'found', checkoutUrl: service.checkoutUrl(input.sessionId), ...found };
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}

async function claimSession({ claims }: ActivitiesOptions, input: ClaimInput): Promise<ClaimResult> {
  const { sessionId, key, onlyLook = false } = input;
  const followedBy = await (onlyLook ? claims?.followerOf(sessionId, key) : claims?.claim(sessionId, key));
  return followedBy === undefined ? {} : { followedBy };
}

const expecting = ({ expected }: SessionInput): SessionCallOptions =>
  expected === undefined ? {} : { expected };
