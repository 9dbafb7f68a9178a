import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { RESET_REAPPLY_TYPE_ALL_ELIGIBLE, RESET_REAPPLY_TYPE_NONE } = temporal.api.enums.v1.ResetReapplyType;

/**
 * Resets the newest run of a workflow to a completed workflow task, as an operator can. A new run begins with that task. `taskIndex`
 * counts the completed tasks from 0, or from the end with -1, -2. The new run receives later signals and updates again. If `isTold` is
 * false, it does not receive them. Resolves with false if there is no such task.
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
