import type { Client } from '@temporalio/client';
import { MESSAGES, WORKFLOW_ID_PREFIX } from '../../src/protocol/names';
import type { SessionPhase } from '../../src/protocol/recorded';
import type { SessionState } from '../../src/protocol/session';

/**
 * Tells, time after time, whether a workflow needs time to end. One that has ended does not, nor does a session that is
 * parked: a person is waited for, and its deadline would pass meanwhile. An open session parks no more.
 */
export function needOf(client: Client, workflowId: string): () => Promise<boolean> {
  const isSession = workflowId.startsWith(WORKFLOW_ID_PREFIX);
  let isKnown = false;
  return async () => {
    if (isKnown) return true;
    if (!(await isRunning(client, workflowId))) return false;
    const phase = isSession ? await phaseOf(client, workflowId) : 'open';
    isKnown = phase === 'open' || phase === 'cancelling';
    return phase !== 'parked' && phase !== 'ended';
  };
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name === 'RUNNING';
}

/** `undefined` when it cannot be read just now: it is asked again after the next step. */
async function phaseOf(client: Client, workflowId: string): Promise<SessionPhase | undefined> {
  try {
    return (await client.workflow.getHandle(workflowId).query<SessionState>(MESSAGES.state)).phase;
  } catch {
    return undefined;
  }
}
