import { getClient } from '@temporalio/nexus';
import { serviceHandler, type ServiceHandler, type StartOperationContext } from 'nexus-rpc';
import {
  paymentSessionService,
  type CancelAnswer,
  type CancelRequest,
  type PaymentSessionKey,
} from '../nexus';
import { InvalidRequestError, isPaysessionError } from '../src/errors';
import { namedIn } from '../src/protocol/decided-by';
import { keyFailures } from '../src/protocol/rules';
import { PaymentSessions, type PaymentSessionHandle } from '../src/sessions';
import { translating } from './nexus-failures';
import { runOperation } from './nexus-run';

/** The engine gives a handler ten seconds unless the caller asks for another time. */
const REQUEST_TIMEOUT_MS = 10_000;
/** What is kept back of a request's time to answer in. */
const ANSWER_MS = 3_000;

/** The handlers of `paymentSessionService`, for a worker. */
export function paymentSessionHandlers(): ServiceHandler<typeof paymentSessionService.operations> {
  return serviceHandler(paymentSessionService, {
    run: runOperation,
    cancel: (context, input) => translating(() => cancel(context, input)),
    state: (_context, input) => translating(() => sessionOf(input).state()),
  });
}

/** Throws `InvalidRequestError` when the input names no session. */
function sessionOf(input: Partial<PaymentSessionKey> | null | undefined): PaymentSessionHandle {
  const key: unknown = input?.key;
  const failures = keyFailures(key);
  if (typeof key !== 'string' || failures.length > 0) throw new InvalidRequestError(failures);
  return new PaymentSessions(getClient(), { queryTimeoutMs: ANSWER_MS }).get(key);
}

/**
 * Waits for the outcome as long as the request may take. Answers that come too late would be repeated, and a few such
 * repetitions close the whole endpoint for a while; the request's id makes a repetition the same cancel.
 */
async function cancel(context: StartOperationContext, input: CancelRequest): Promise<CancelAnswer> {
  const session = sessionOf(input);
  const named = namedIn(input);
  const { requestDeadline, requestId } = context;
  const endsAtMs = (requestDeadline?.getTime() ?? Date.now() + REQUEST_TIMEOUT_MS) - ANSWER_MS;
  try {
    return await session.cancelAndWait({ ...named, requestId, timeoutMs: endsAtMs - Date.now() });
  } catch (error) {
    if (!isPaysessionError(error, 'CANCEL_PENDING')) throw error;
    return { outcome: 'accepted', state: await session.state() };
  }
}
