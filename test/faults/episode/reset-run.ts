import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

/** Has a run done again from its first workflow task, or from its last; gives whether it was: one that is over is left alone. */
export async function resetRun(
  { workflow, workflowService }: Client,
  workflowId: string,
  task: 'first' | 'last',
): Promise<boolean> {
  const { runId, status } = await workflow.getHandle(workflowId).describe();
  if (status.name !== 'RUNNING') return false;
  const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
  const tasks = (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes != null);
  const eventId = tasks.at(task === 'first' ? 0 : -1)?.eventId;
  if (eventId == null) return false;
  await workflowService.resetWorkflowExecution({
    namespace: workflow.options.namespace,
    workflowExecution: { workflowId, runId },
    requestId: randomUUID(),
    reason: 'a campaign',
    workflowTaskFinishEventId: eventId,
    resetReapplyType: temporal.api.enums.v1.ResetReapplyType.RESET_REAPPLY_TYPE_ALL_ELIGIBLE,
  });
  return true;
}
