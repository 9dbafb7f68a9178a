import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { RESET_REAPPLY_TYPE_ALL_ELIGIBLE, RESET_REAPPLY_TYPE_NONE } = temporal.api.enums.v1.ResetReapplyType;

/**
 * Resets the newest run of a workflow, as an operator can, to a completed workflow task, which the new run repeats.
 * `taskIndex` counts these tasks from 0, or back from -1. The new run receives later signals and updates again, unless
 * `isTold` is false. Returns false, and does nothing, if there is no such task.
 */
export async function resetRun(
  { workflow, workflowService }: Client,
  workflowId: string,
  taskIndex: number,
  { isTold = true }: { readonly isTold?: boolean } = {},
): Promise<boolean> {
  const { runId } = await workflow.getHandle(workflowId).describe();
  const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes != null);
  const eventId = tasks.at(taskIndex)?.eventId;
  if (eventId == null) return false;
  await workflowService.resetWorkflowExecution({
    namespace: workflow.options.namespace,
    workflowExecution: { workflowId, runId },
    requestId: randomUUID(),
    reason: 'a test',
    workflowTaskFinishEventId: eventId,
    resetReapplyType: isTold ? RESET_REAPPLY_TYPE_ALL_ELIGIBLE : RESET_REAPPLY_TYPE_NONE,
  });
  return true;
}
