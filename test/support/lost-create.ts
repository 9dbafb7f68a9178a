import { google } from '@temporalio/proto';
import type { Client } from '@temporalio/client';

/** Ends the time of a session's create early, as an operator can, and allows up to `maximumAttempts` attempts. */
export const endCreate = (client: Client, workflowId: string, maximumAttempts = 1): Promise<unknown> =>
  client.workflowService.updateActivityOptions({
    namespace: 'default',
    execution: { workflowId },
    type: 'createSession',
    activityOptions: {
      startToCloseTimeout: google.protobuf.Duration.fromObject({ seconds: 1 }),
      retryPolicy: { maximumAttempts },
    },
    updateMask: { paths: ['start_to_close_timeout', 'retry_policy.maximum_attempts'] },
  });

/** A running create of a session, from the Temporal server's data. */
export interface RunningCreate {
  readonly isStarted: boolean;
  /** The details of its last heartbeat, as JSON; `null` if it had none. */
  readonly says: string | null;
  /** The time of that heartbeat, in milliseconds since the epoch. */
  readonly saidAtMs: number;
}

export async function runningCreate(client: Client, workflowId: string): Promise<RunningCreate | undefined> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const create = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'createSession');
  if (create === undefined) return undefined;
  const data = create.heartbeatDetails?.payloads?.[0]?.data;
  const { seconds, nanos } = create.lastHeartbeatTime ?? {};
  return {
    isStarted: create.lastStartedTime != null,
    says: data == null || data.length === 0 ? null : Buffer.from(data).toString(),
    saidAtMs: Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6,
  };
}
