import { Context, type Info } from '@temporalio/activity';
import { InvalidRequestError, isPaysessionError, ServiceError } from '../src/errors';
import { validateSessionRequest } from '../src/contract';
import { notSent, WaitingRoom, type PacedService, type SessionCallOptions } from '../src/service';
import type { CreateOutcome, FailedCreate } from '../src/protocol/service-calls';
import type { SessionState } from '../src/protocol/session';
import { Bursts } from './bursts';
import { toApplicationFailure } from './failures';
import { pollSession } from './poll-session';
import { isRepeated, repeatedCreate } from './repeated-create';
import type {
  CancelResult,
  CreateSessionInput,
  FindResult,
  PaymentActivities,
  PollResult,
  PollSessionInput,
  SessionInput,
} from '../src/protocol/activities';

const CREATE_HEARTBEAT_EVERY_MS = 1_000;

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
  /** Aborts when the worker is about to stop: polls in a burst end at once. @default never */
  readonly stopping?: AbortSignal;
  /**
   * How many activities may poll in a burst at once; the others poll once. Keep it below the worker's activity slots:
   * otherwise bursts may hold all of them while creates and cancels wait. A server whose time skips needs 0, because a burst
   * waits in real time, and time does not skip while an activity runs.
   * @default unbounded
   */
  readonly maxBursts?: number;
  /** Where bursts hold a place, together with the calls that wait for their turn. @default unbounded */
  readonly room?: WaitingRoom;
}

/** The I/O steps of a payment session: thin translations of the service client into Temporal's terms. */
export function createActivities(options: ActivitiesOptions): PaymentActivities {
  const { serviceOf, readState } = options;
  const bursts = new Bursts();
  return {
    authenticate: translating(async ({ account }) => {
      await serviceOf(account).authenticate({ signal: Context.current().cancellationSignal });
    }),
    createSession: translating((input) => createSession(serviceOf, input)),
    pollSession: translating(pollerOf(options, bursts)),
    cancelSession: translating((input) => {
      bursts.end(input);
      return cancelSession(serviceOf(input.account), input);
    }),
    findSession: translating((input) => findSession(serviceOf(input.account), input)),
    readSession: translating(({ key }) => readState(key)),
  };
}

function pollerOf(options: ActivitiesOptions, bursts: Bursts) {
  const { serviceOf, stopping, maxBursts = Infinity, room = new WaitingRoom() } = options;
  const stops = stopping === undefined ? [] : [stopping];
  return async (input: PollSessionInput): Promise<PollResult> => {
    const service = serviceOf(input.account);
    const isBurst = input.forMs > 0 && bursts.count < maxBursts && room.enter('poll');
    if (!isBurst) {
      bursts.end(input);
      return pollSession(service, { ...input, forMs: 0 });
    }
    const over = bursts.begin(input);
    try {
      // The burst holds a place: its polls need none of their own to wait for their turn.
      return await pollSession(service, input, { ends: [over, ...stops], hasPlace: true });
    } finally {
      bursts.forget(input, over);
      room.leave();
    }
  };
}

/** An activity whose errors reach the engine with their codes. */
function translating<I, O>(activity: (input: I) => Promise<O>): (input: I) => Promise<O> {
  return async (input) => {
    try {
      return await activity(input);
    } catch (error) {
      throw toApplicationFailure(error);
    }
  };
}

/** Its cancellation ends the wait for its turn only: a create that has started is always waited for. */
async function createSession(serviceOf: ServiceDirectory, input: CreateSessionInput): Promise<CreateOutcome> {
  const context = Context.current();
  if (isRepeated(context.info)) return { outcome: 'unknown', failure: repeatedCreate() };
  const service = prepared(serviceOf, input);
  if ('failure' in service) return service;
  const { request } = input;
  // A cancellation reaches an activity in the answer to a heartbeat.
  const heartbeat = setInterval(() => {
    context.heartbeat();
  }, CREATE_HEARTBEAT_EVERY_MS);
  try {
    const signal = context.cancellationSignal;
    const withinMs = input.withinMs === undefined ? {} : { withinMs: leftOf(input.withinMs, context.info) };
    return await service.createSession(request, { signal, ...withinMs });
  } finally {
    clearInterval(heartbeat);
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
