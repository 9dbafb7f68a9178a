import { Context, type Info } from '@temporalio/activity';
import { InvalidRequestError, isPaysessionError, ServiceError, type ServiceFailure } from '../src/errors';
import { validateSessionRequest } from '../src/contract';
import { notSent, type PacedService, type SessionCallOptions } from '../src/service';
import type { FailedCreate } from '../src/protocol/service-calls';
import type { SessionState } from '../src/protocol/session';
import { toApplicationFailure } from './failures';
import { toEndOfAttempt } from './follow/end-of-attempt';
import { followSession, type NewsListener } from './follow/follow-session';
import type { HeldSessions } from './follow/held-sessions';
import type { PollTracer } from './follow/poll-tracer';
import { withHeartbeats } from './heartbeats';
import { pollSession } from './poll-session';
import { isRepeated, repeatedCreate } from './repeated-create';
import type {
  CancelResult,
  CreateResult,
  CreateSessionInput,
  FindResult,
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

/** What the activities of a worker need. */
export interface ActivitiesOptions {
  /** Finds the payment service of an account. */
  readonly serviceOf: ServiceDirectory;
  /** Reads another session's state, for `readPaymentSession` in workflows. */
  readonly readState: StateReader;
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
  const { serviceOf, readState, held, now, onNews, tracePoll } = options;
  return {
    authenticate: translating(
      alive(async ({ account }) => {
        await serviceOf(account).authenticate({ signal: Context.current().cancellationSignal });
      }),
    ),
    createSession: translating((input) => createSession(serviceOf, input)),
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
        return cancelSession(serviceOf(input.account), input);
      }),
    ),
    findSession: translating(alive((input) => findSession(serviceOf(input.account), input))),
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
async function createSession(serviceOf: ServiceDirectory, input: CreateSessionInput): Promise<CreateResult> {
  const context = Context.current();
  if (isRepeated(context.info)) return { outcome: 'unknown', failure: repeatedCreate() };
  const service = prepared(serviceOf, input);
  if ('failure' in service) return service;
  const signal = context.cancellationSignal;
  return withHeartbeats(CREATE_HEARTBEAT_EVERY_MS, async () => {
    const failure = await tokenFailure(service, signal);
    if (failure !== undefined) return { outcome: 'notAuthenticated', failure };
    const withinMs = input.withinMs === undefined ? {} : { withinMs: leftOf(input.withinMs, context.info) };
    return service.createSession(input.request, { signal, ...withinMs });
  });
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
    const checked = validateSessionRequest(input.request);
    if (!checked.valid) throw new InvalidRequestError(checked.failures);
    return serviceOf(input.account);
  } catch (error) {
    if (isPaysessionError(error)) throw error;
    return { outcome: 'notSent', failure: notSent('create', error) };
  }
}

/** Whatever fails is an answer too: the workflow looks at the details, and says how long it waits before the next cancel. */
async function cancelSession(service: PacedService, input: SessionInput): Promise<CancelResult> {
  try {
    return { outcome: 'answered', snapshot: await service.cancelSession(input.sessionId, expecting(input)) };
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

const expecting = ({ expected }: SessionInput): SessionCallOptions =>
  expected === undefined ? {} : { expected };
