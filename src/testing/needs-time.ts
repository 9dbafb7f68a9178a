import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { MESSAGES, WORKFLOW_ID_PREFIX, type SessionState } from '../../workflows/protocol';

const LOOK_EVERY_MS = 20;

/**
 * Whether time must pass for a workflow to end. With nothing due, skipping time jumps to the end of the ten years that the
 * test server gives a workflow: so time must not skip for one that has ended, and a parked session, which has no timer
 * and would time out before a person can answer, is waited for first.
 */
export async function needsTime(client: Client, workflowId: string): Promise<boolean> {
  while (await isRunning(client, workflowId)) {
    if (!(await isAtRest(client, workflowId))) return true;
    await sleep(LOOK_EVERY_MS);
  }
  return false;
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name === 'RUNNING';
}

/** Whether it is a session that waits for a person, or is about to close. One that cannot be read is none to wait for. */
async function isAtRest(client: Client, workflowId: string): Promise<boolean> {
  if (!workflowId.startsWith(WORKFLOW_ID_PREFIX)) return false;
  try {
    const { phase } = await client.workflow.getHandle(workflowId).query<SessionState>(MESSAGES.state);
    return phase === 'parked' || phase === 'ended';
  } catch {
    return false;
  }
}
