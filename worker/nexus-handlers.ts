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

/** The time that the Temporal server allows for a request, if the caller sets no other time. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The time before a request's deadline that is reserved for sending the answer. */
const ANSWER_MS = 3_000;

/**
 * Returns a worker's handlers for the Nexus service `paymentSessionService`. With a ledger, the operation `state` also finds
 * sessions that Temporal has dropped after its retention.
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

/** Returns the handle of the session whose key is in the input. Throws `InvalidRequestError` if the input has no valid key. */
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
 * Cancels a session, and waits for the outcome until shortly before the request's deadline. If there is no outcome by then, answers
 * `accepted`. Without an answer in time, Temporal would repeat the request, and after a few repetitions it would close the whole
 * endpoint for a while. A repeated request has the same request id, so it does not cancel a second time.
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

/** The operation `run` when a workflow runs: the operation completes with the workflow. Cancelling the operation cancels the workflow. */
const workflowRun = new WorkflowRunOperationHandler<JoiningStartOptions, SessionResult>((context, options) =>
  startWorkflow<PaymentSessionWorkflow>(context, WORKFLOW_TYPE, options),
);

/** Starts a session. If the key already has a running session, attaches to it. If that session has ended, answers with its result. */
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

/** Runs an operation, and converts its error to a Nexus error with the error code. */
async function translating<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw toNexusError(error);
  }
}

/**
 * Converts a paysession error to a Nexus error. Returns all other errors unchanged: the SDK converts them.
 *
 * The table of error codes says which Nexus error each code becomes. A key conflict becomes `BAD_REQUEST` there, because Temporal
 * server 1.29 does not know `CONFLICT`. The server would treat `CONFLICT` as an internal error, and repeat the call until it closes
 * the endpoint.
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
