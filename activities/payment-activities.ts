import { Context } from '@temporalio/activity';
import { InvalidRequestError, ServiceError } from '../src/errors';
import { validateSessionRequest } from '../src/contract';
import { WaitingRoom, type PacedService } from '../src/service';
import type { SessionState } from '../workflows/protocol';
import { toApplicationFailure } from './failures';
import { pollSession, type PolledService } from './poll-session';
import { isRepeated, repeatedCreate } from './repeated-create';
import type {
  CancelResult,
  CreateOutcome,
  CreateSessionInput,
  FindResult,
  PaymentActivities,
  PollResult,
  PollSessionInput,
  SessionInput,
} from './types';

const CREATE_HEARTBEAT_EVERY_MS = 1_000;

/** Finds the payment service of an account. Throws `PaysessionError` `UNKNOWN_ACCOUNT`. */
export type ServiceDirectory = (account: string) => PacedService;

/** Reads a payment session's state by its key. Throws `PaysessionError` `SESSION_NOT_FOUND`. */
export type StateReader = (key: string) => Promise<SessionState>;

export interface ActivitiesOptions {
  readonly serviceOf: ServiceDirectory;
  readonly readState: StateReader;
  /** Aborts when the worker is about to stop: polls in a burst end at once. @default never */
  readonly stopping?: AbortSignal;
  /**
   * How many activity executions may poll in a burst at once; the others poll once. It belongs below the worker's
   * activity slots, which bursts would otherwise hold while creates and cancels wait. A server whose time skips needs 0:
   * a burst waits in real time, and time does not skip while an activity runs.
   * @default unbounded
   */
  readonly maxBursts?: number;
  /** Where bursts hold a place, together with the calls that wait for their turn. @default unbounded */
  readonly room?: WaitingRoom;
}

/** The I/O steps of a payment session: thin translations of the service client into Temporal's terms. */
export function createActivities(options: ActivitiesOptions): PaymentActivities {
  const { serviceOf, readState } = options;
  const poll = pollerOf(options);
  return {
    authenticate: translating(async ({ account }) => {
      await serviceOf(account).authenticate({ signal: Context.current().cancellationSignal });
    }),
    createSession: translating((input) => createSession(serviceOf(input.account), input)),
    pollSession: translating(poll),
    cancelSession: translating((input) => cancelSession(serviceOf(input.account), input)),
    findSession: translating((input) => findSession(serviceOf(input.account), input)),
    readSession: translating(({ key }) => readState(key)),
  };
}

function pollerOf({
  serviceOf,
  stopping,
  maxBursts = Infinity,
  room = new WaitingRoom(),
}: ActivitiesOptions) {
  let bursts = 0;
  return async (input: PollSessionInput): Promise<PollResult> => {
    const service = serviceOf(input.account);
    const isBurst = input.forMs > 0 && bursts < maxBursts && room.enter('poll');
    if (!isBurst) return pollSession(service, { ...input, forMs: 0 }, stopping);
    bursts += 1;
    try {
      return await pollSession(withPlace(service), input, stopping);
    } finally {
      bursts -= 1;
      room.leave();
    }
  };
}

/** The polls of a burst, which holds a place: they need none of their own to wait for their turn. */
function withPlace(service: PolledService): PolledService {
  return {
    sessionDetails: (sessionId, options) => service.sessionDetails(sessionId, { ...options, hasPlace: true }),
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
async function createSession(
  service: PacedService,
  { request, withinMs }: CreateSessionInput,
): Promise<CreateOutcome> {
  const context = Context.current();
  if (isRepeated(context.info)) return { outcome: 'unknown', failure: repeatedCreate() };
  const checked = validateSessionRequest(request);
  if (!checked.valid) throw new InvalidRequestError(checked.failures);
  // A cancellation reaches an activity in the answer to a heartbeat.
  const heartbeat = setInterval(() => {
    context.heartbeat();
  }, CREATE_HEARTBEAT_EVERY_MS);
  try {
    const signal = context.cancellationSignal;
    return await service.createSession(request, { signal, ...(withinMs !== undefined && { withinMs }) });
  } finally {
    clearInterval(heartbeat);
  }
}

async function cancelSession(service: PacedService, { sessionId }: SessionInput): Promise<CancelResult> {
  try {
    return { outcome: 'answered', snapshot: await service.cancelSession(sessionId) };
  } catch (error) {
    if (error instanceof ServiceError && isAnswer(error))
      return { outcome: 'refused', failure: error.failure };
    throw error;
  }
}

/** Answers by which the service has decided, or may have: repeating the cancel tells no more than the details do. */
function isAnswer({ failure }: ServiceError): boolean {
  switch (failure.code) {
    case 'SERVICE_REQUEST_REJECTED':
    case 'SERVICE_SESSION_UNKNOWN':
    case 'SERVICE_FORBIDDEN':
    case 'SERVICE_UNREADABLE':
      return true;
    default:
      return false;
  }
}

async function findSession(service: PacedService, { sessionId }: SessionInput): Promise<FindResult> {
  try {
    const found = await service.identifySession(sessionId);
    return { outcome: 'found', checkoutUrl: service.checkoutUrl(sessionId), ...found };
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}
