import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { MESSAGES, WORKFLOW_ID_PREFIX, type SessionState } from '../../workflows/protocol';
import type { VirtualTime } from './virtual-time';

const LOOK_EVERY_MS = 20;
/** At least a tenth of the wait before a create is tried again. */
const STEP_MS = 1_000;
const STEP_IN_TROUBLE_MS = 30_000;

/**
 * Whether time must skip for a workflow to end. With nothing due, skipping time jumps to the end of the ten years that the
 * test server gives a workflow: so time must not skip for one that has ended, nor for a parked session, which has no timer
 * and would time out before a person can answer. A session that may still park is brought through its create in steps.
 */
export async function needsTime(client: Client, time: VirtualTime, workflowId: string): Promise<boolean> {
  while (await isRunning(client, workflowId)) {
    const state = await sessionState(client, workflowId);
    switch (state?.phase) {
      case 'parked':
      case 'ended':
        await sleep(LOOK_EVERY_MS);
        break;
      case 'creating':
        await time.advance(state.trouble === undefined ? STEP_MS : STEP_IN_TROUBLE_MS);
        break;
      default:
        return true;
    }
  }
  return false;
}

async function isRunning(client: Client, workflowId: string): Promise<boolean> {
  const { status } = await client.workflow.getHandle(workflowId).describe();
  return status.name === 'RUNNING';
}

/** The state of a session; `undefined` for another workflow, and for one that cannot be read. */
async function sessionState(client: Client, workflowId: string): Promise<SessionState | undefined> {
  if (!workflowId.startsWith(WORKFLOW_ID_PREFIX)) return undefined;
  try {
    return await client.workflow.getHandle(workflowId).query<SessionState>(MESSAGES.state);
  } catch {
    return undefined;
  }
}
