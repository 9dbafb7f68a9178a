import { Context } from '@temporalio/activity';
import { InvalidRequestError, ServiceError } from '../src/errors';
import { validateSessionRequest } from '../src/contract';
import type { PaymentService } from '../src/service';
import type { SessionState } from '../workflows/protocol';
import { toApplicationFailure } from './failures';
import { pollSession } from './poll-session';
import type { CancelResult, CreateSessionInput, FindResult, PaymentActivities, SessionInput } from './types';

/** Finds the payment service of an account. Throws `PaysessionError` `UNKNOWN_ACCOUNT`. */
export type ServiceDirectory = (account: string) => PaymentService;

/** Reads a payment session's state by its key. Throws `PaysessionError` `SESSION_NOT_FOUND`. */
export type StateReader = (key: string) => Promise<SessionState>;

export interface ActivityOptions {
  /**
   * Whether polls that are seconds apart share one activity execution. A server whose time skips needs it off: a burst
   * waits in real time, and the server's time stands still while an activity runs.
   * @default true
   */
  readonly pollInBursts?: boolean;
}

/** The I/O steps of a payment session: thin translations of the service client into Temporal's terms. */
export function createActivities(
  serviceOf: ServiceDirectory,
  readState: StateReader,
  { pollInBursts = true }: ActivityOptions = {},
): PaymentActivities {
  return {
    authenticate: translating(async ({ account }) => {
      await serviceOf(account).authenticate({ signal: Context.current().cancellationSignal });
    }),
    createSession: translating((input) => createSession(serviceOf(input.account), input)),
    pollSession: translating((input) =>
      pollSession(serviceOf(input.account), pollInBursts ? input : { ...input, forMs: 0 }),
    ),
    cancelSession: translating((input) => cancelSession(serviceOf(input.account), input)),
    findSession: translating((input) => findSession(serviceOf(input.account), input)),
    readSession: translating(({ key }) => readState(key)),
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

/** Without the activity's cancellation signal: a create that has started is always waited for. */
async function createSession(service: PaymentService, { request }: CreateSessionInput) {
  const checked = validateSessionRequest(request);
  if (!checked.valid) throw new InvalidRequestError(checked.failures);
  return service.createSession(request);
}

async function cancelSession(service: PaymentService, { sessionId }: SessionInput): Promise<CancelResult> {
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

async function findSession(service: PaymentService, { sessionId }: SessionInput): Promise<FindResult> {
  try {
    const snapshot = await service.sessionDetails(sessionId);
    return { outcome: 'found', checkoutUrl: service.checkoutUrl(sessionId), snapshot };
  } catch (error) {
    if (error instanceof ServiceError) return { outcome: 'failed', failure: error.failure };
    throw error;
  }
}
