import { getClient, operationInfo, startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import {
  HandlerError,
  HandlerStartOperationResult,
  OperationError,
  serviceHandler,
  type OperationHandler,
  type ServiceHandler,
  type StartOperationContext,
} from 'nexus-rpc';
import { ApplicationFailure } from '@temporalio/common';
import {
  paymentSessionService,
  type CancelAnswer,
  type CancelRequest,
  type PaymentSessionKey,
} from '../src/nexus';
import { InvalidRequestError, isPaysessionError, rowOf } from '../src/errors';
import { decidedByFailures } from '../src/protocol/decisions';
import { keyFailures, type PaymentSessionInput } from '../src/protocol/input';
import {
  PaymentSessions,
  refuseInvalid,
  startOrJoin,
  type JoiningStartOptions,
  type PaymentSessionHandle,
  type ReadableLedger,
} from '../src/sessions';
import { WORKFLOW_TYPE } from '../src/protocol/names';
import type { PaymentSessionWorkflow, SessionResult } from '../src/protocol/state/session';

/** The Temporal server allows a handler ten seconds, unless the caller asks for another time. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The part of a request's time that is reserved for the answer. */
const ANSWER_MS = 3_000;

/**
 * Returns the handlers of `paymentSessionService`, for a worker. With a ledger, `state` also reports sessions that
 * Temporal has dropped.
 */
export function paymentSessionHandlers(
  ledger?: ReadableLedger,
): ServiceHandler<typeof paymentSessionService.operations> {
  return serviceHandler(paymentSessionService, {
    run: runOperation,
    cancel: (context, input) => translating(() => cancel(context, sessionOf(input, ledger), input)),
    state: (_context, input) => translating(() => sessionOf(input, ledger).state()),
  });
}

/** Returns the session that an input names. Throws `InvalidRequestError` if the input has no valid key. */
function sessionOf(
  input: Partial<PaymentSessionKey> | null | undefined,
  ledger: ReadableLedger | undefined,
): PaymentSessionHandle {
  const key: unknown = input?.key;
  const failures = keyFailures(key);
  if (typeof key !== 'string' || failures.length > 0) throw new InvalidRequestError(failures);
  return new PaymentSessions(getClient(), { queryTimeoutMs: ANSWER_MS, ledger }).get(key);
}

/**
 * Cancels a session, and waits for the outcome as long as the request may take. The caller would repeat a request
 * whose answer comes too late, and a few repetitions close the whole endpoint for a while. A repetition has the same
 * request id, so it is the same cancel.
 */
async function cancel(
  context: StartOperationContext,
  session: PaymentSessionHandle,
  input: CancelRequest,
): Promise<CancelAnswer> {
  const { key: _key, ...decidedBy } = input;
  refuseInvalid(decidedByFailures(decidedBy), 'The argument is invalid; nothing was sent');
  const { requestDeadline, requestId } = context;
  const endsAtMs = (requestDeadline?.getTime() ?? Date.now() + REQUEST_TIMEOUT_MS) - ANSWER_MS;
  const timeoutMs = Math.max(1, endsAtMs - Date.now());
  try {
    return await session.cancelAndWait({ ...decidedBy, requestId, timeoutMs });
  } catch (error) {
    if (!isPaysessionError(error, 'CANCEL_PENDING')) throw error;
    return { outcome: 'accepted', state: await session.state() };
  }
}

/** An operation that the session's workflow completes. Cancelling it cancels the workflow. */
const workflowRun = new WorkflowRunOperationHandler<JoiningStartOptions, SessionResult>((context, options) =>
  startWorkflow<PaymentSessionWorkflow>(context, WORKFLOW_TYPE, options),
);

/** Starts a session, attaches to the running one, or answers with the end of the session that has the key. */
const runOperation: OperationHandler<PaymentSessionInput, SessionResult> = {
  start: (context, input) => translating(() => run(context, input)),
  cancel: (context, token) => workflowRun.cancel(context, token),
};

async function run(
  context: StartOperationContext,
  input: unknown,
): Promise<HandlerStartOperationResult<SessionResult>> {
  const client = getClient();
  const begun = await startOrJoin(client, { input, taskQueue: operationInfo().taskQueue }, (options) =>
    workflowRun.start(context, options),
  );
  if ('answer' in begun) return begun.answer;
  return HandlerStartOperationResult.sync(await new PaymentSessions(client).get(begun.ended).result());
}

/** Runs an operation. Its error reaches the caller with its error code. The call is repeated only if that can help. */
async function translating<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw toNexusError(error);
  }
}

/**
 * Converts an error to a Nexus error. The SDK handles errors without a code, and reports those of the Temporal server
 * by their kind. In the table of error codes, a conflict is a `BAD_REQUEST`, because server 1.29 does not know `CONFLICT`:
 * it would treat that as an internal error, and repeat the call until the endpoint is closed.
 */
export function toNexusError(error: unknown): unknown {
  if (!isPaysessionError(error)) return error;
  const { code: type, message } = error;
  const details = error instanceof InvalidRequestError ? [{ failures: error.failures }] : [];
  const cause = ApplicationFailure.create({ type, message, nonRetryable: true, details });
  const refusal = rowOf(type)?.nexus;
  return refusal === undefined
    ? new OperationError('failed', message, { cause })
    : new HandlerError(refusal, message, { cause });
}
