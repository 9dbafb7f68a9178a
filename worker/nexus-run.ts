import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { getClient, operationInfo, startWorkflow, WorkflowRunOperationHandler } from '@temporalio/nexus';
import { HandlerStartOperationResult, type OperationHandler, type StartOperationContext } from 'nexus-rpc';
import {
  unlessTaken,
  PaymentSessions,
  prepareStart,
  withAttributes,
  type PreparedStart,
} from '../src/sessions';
import { WORKFLOW_TYPE } from '../src/protocol/names';
import type { PaymentSessionInput } from '../src/protocol/input';
import type { PaymentSessionWorkflow, SessionResult } from '../src/protocol/session';
import { translating } from './nexus-failures';

type StartOptions = Omit<PreparedStart['options'], 'workflowIdConflictPolicy'> & {
  readonly workflowIdConflictPolicy: 'FAIL' | 'USE_EXISTING';
};

/** An operation that the session's workflow completes; cancelling it cancels the workflow. */
const workflowRun = new WorkflowRunOperationHandler<StartOptions, SessionResult>((context, options) =>
  withAttributes(options, (indexed) =>
    startWorkflow<PaymentSessionWorkflow>(context, WORKFLOW_TYPE, indexed),
  ),
);

/** Starts a session, attaches to the running one, or answers with the end of the one that has the key. */
export const runOperation: OperationHandler<PaymentSessionInput, SessionResult> = {
  start: (context, input) => translating(() => run(context, input)),
  cancel: (context, token) => workflowRun.cancel(context, token),
};

async function run(
  context: StartOperationContext,
  input: unknown,
): Promise<HandlerStartOperationResult<SessionResult>> {
  const start = prepareStart(input, operationInfo().taskQueue);
  const begun = await unlessTaken(getClient(), start, () => workflowRun.start(context, start.options));
  if ('answer' in begun) return begun.answer;
  try {
    return await workflowRun.start(context, { ...start.options, workflowIdConflictPolicy: 'USE_EXISTING' });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const session = new PaymentSessions(getClient()).get(start.key);
    return HandlerStartOperationResult.sync(await session.result());
  }
}
