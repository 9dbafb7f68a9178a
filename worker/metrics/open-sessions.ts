import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES, WORKFLOW_TYPE } from '../../src/protocol/names';
import type { SessionPhase } from '../../src/protocol/recorded';

/** The phases of a session that has not ended. */
export const OPEN_PHASES = ['creating', 'parked', 'open', 'cancelling'] as const satisfies readonly Exclude<
  SessionPhase,
  'ended'
>[];

/** Counts the open sessions of a task queue by phase, as the engine's search knows them. Rejects where it cannot tell. */
export async function countOpenSessions(
  client: Client,
  taskQueue: string,
): Promise<ReadonlyMap<(typeof OPEN_PHASES)[number], number>> {
  const counts = new Map<(typeof OPEN_PHASES)[number], number>();
  const running = `WorkflowType = '${WORKFLOW_TYPE}' AND ExecutionStatus = 'Running'`;
  const here = `TaskQueue = '${taskQueue.replaceAll(/['\\]/g, '\\$&')}'`;
  // One after the other: nobody waits for them, and the search is shared.
  for (const phase of OPEN_PHASES) {
    const { count } = await client.workflow.count(
      `${running} AND ${here} AND ${SEARCH_ATTRIBUTES.phase} = '${phase}'`,
    );
    counts.set(phase, count);
  }
  return counts;
}
