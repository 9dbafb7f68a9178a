import type { Info } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow';
import { temporal } from '@temporalio/proto';
import { WORKFLOW_ID_PREFIX } from '../../src/protocol/names';
import type { TestedFailure } from './tested-code';

type Execution = temporal.api.common.v1.IWorkflowExecution;
type FailedTask = temporal.api.history.v1.IWorkflowTaskFailedEventAttributes;

const { EventType, WorkflowTaskFailedCause: Cause } = temporal.api.enums.v1;

/** The server refuses a task for these as it should: the next one goes on. */
const IN_ORDER: ReadonlySet<unknown> = new Set([
  Cause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
  Cause.WORKFLOW_TASK_FAILED_CAUSE_FORCE_CLOSE_COMMAND,
]);

/** Workflows looked at in one look. */
const MOST_AT_A_LOOK = 25;

/**
 * Looks among the open workflows, other than payment sessions, for one whose task fails each time. It is in two looks then:
 * one that fails once, on a machine that hangs, has gone on at the second. Where there are many, each look takes the next.
 */
export function failingTasks(client: Client): () => Promise<TestedFailure | undefined> {
  const suspects = new Set<string>();
  let next = 0;
  return async () => {
    const open = await openWorkflows(client);
    if (next >= open.length) next = 0;
    const looked = open.slice(next, next + MOST_AT_A_LOOK);
    next += looked.length;
    for (const execution of looked) {
      const failed = await failedTask(client, execution);
      const run = execution.runId ?? '';
      if (failed === undefined) suspects.delete(run);
      else if (suspects.has(run)) return await failureOf(client, execution, failed);
      else suspects.add(run);
    }
    return undefined;
  };
}

/** Whether a workflow has said how often an activity is tried at most; the test server does not tell the worker. */
export async function isLimited(
  { workflowService, options: { namespace } }: Client,
  { activityId, workflowExecution: execution }: Info,
): Promise<boolean> {
  if (execution === undefined) return false;
  const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution });
  const scheduled = history?.events?.find(
    ({ activityTaskScheduledEventAttributes: event }) => event?.activityId === activityId,
  );
  return (scheduled?.activityTaskScheduledEventAttributes?.retryPolicy?.maximumAttempts ?? 0) > 0;
}

async function openWorkflows({ workflowService, options: { namespace } }: Client): Promise<Execution[]> {
  const { executions } = await workflowService.listOpenWorkflowExecutions({ namespace, startTimeFilter: {} });
  return executions.flatMap(({ execution }) =>
    execution?.workflowId?.startsWith(WORKFLOW_ID_PREFIX) === false ? [execution] : [],
  );
}

/** The workflow's last task, if it failed. */
async function failedTask(
  { workflowService, options: { namespace } }: Client,
  execution: Execution,
): Promise<FailedTask | undefined> {
  const { history } = await workflowService.getWorkflowExecutionHistory({ namespace, execution });
  const last = history?.events?.findLast(
    ({ eventType }) =>
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED ||
      eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
  );
  const failed = last?.workflowTaskFailedEventAttributes ?? undefined;
  return failed === undefined || IN_ORDER.has(failed.cause) ? undefined : failed;
}

async function failureOf(
  client: Client,
  { workflowId }: Execution,
  { failure }: FailedTask,
): Promise<TestedFailure> {
  const { loadedDataConverter } = client.options;
  const cause = await decodeOptionalFailureToOptionalError(loadedDataConverter, failure);
  return {
    workflowId: workflowId ?? '',
    what: `A task of the workflow "${workflowId ?? ''}" fails each time it is tried`,
    cause,
  };
}
