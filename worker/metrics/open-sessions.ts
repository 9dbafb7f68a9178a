import type { Client } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/names';
import { SESSION_PHASES, type SessionPhase } from '../../src/protocol/recorded';
import { openSessionsOn } from '../../src/sessions/list/filter';

const OPEN_PHASES = SESSION_PHASES.filter((phase) => phase !== 'ended');

/** Counts the open sessions of a task queue by phase, as the engine's search knows them. Rejects where it cannot tell. */
export async function countOpenSessions(
  client: Client,
  taskQueue: string,
): Promise<ReadonlyMap<SessionPhase, number>> {
  const counts = new Map<SessionPhase, number>();
  // One after the other: nobody waits for them, and the search is shared.
  for (const phase of OPEN_PHASES) {
    const { count } = await client.workflow.count(
      `${openSessionsOn(taskQueue)} AND ${SEARCH_ATTRIBUTES.phase} = '${phase}'`,
    );
    counts.set(phase, count);
  }
  return counts;
}
