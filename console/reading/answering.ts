import type { Client } from '@temporalio/client';
import { isPaysessionError } from '../../src/errors';
import { MESSAGES } from '../../src/protocol/names';
import { toPaysessionError } from '../../src/sessions/calls/engine-errors';
import { within } from '../../src/sessions/calls/within';
import { openSessionsOn } from '../../src/sessions/list/filter';

/** Of a worker that is gone, some sessions may wait for a moment until another has them: not all of these. */
const MOST_ASKED = 4;
/** A worker that was killed is told within five seconds: these, and the time between two looks. */
const FIRST_WITHIN_MS = 700;
const ANY_WITHIN_MS = 1_500;

/** The workflow ids of the newest sessions that run on a task queue. */
export async function newestRunning(client: Client, taskQueue: string): Promise<readonly string[]> {
  const { executions } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query: openSessionsOn(taskQueue),
    pageSize: MOST_ASKED,
  });
  return executions.flatMap(({ execution }) => execution?.workflowId ?? []);
}

/**
 * Whether a worker answers for any of these sessions; `true` for none of them. The engine lists a worker for minutes after it was
 * killed: only a question that stays without an answer tells at once.
 */
export async function isAnswered(client: Client, workflowIds: readonly string[]): Promise<boolean> {
  const [first] = workflowIds;
  if (first === undefined || (await answers(client, first, FIRST_WITHIN_MS))) return true;
  const all = workflowIds.map(async (workflowId) => {
    if (!(await answers(client, workflowId, ANY_WITHIN_MS))) throw new Error('no answer');
  });
  return Promise.any(all).then(
    () => true,
    () => false,
  );
}

/** An error that a worker gives is an answer, too. */
async function answers(client: Client, workflowId: string, withinMs: number): Promise<boolean> {
  try {
    await within(client, withinMs, () => client.workflow.getHandle(workflowId).query(MESSAGES.state));
    return true;
  } catch (error) {
    return !isPaysessionError(toPaysessionError('', error), 'WORKER_UNAVAILABLE');
  }
}
