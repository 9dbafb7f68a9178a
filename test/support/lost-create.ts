import { google } from '@temporalio/proto';
import type { Client } from '@temporalio/client';

/** Makes a session’s create activity time out after a second, with at most `maximumAttempts` attempts, as an operator can. */
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

/** A session’s create activity that has not ended, as the Temporal server describes it. */
export interface RunningCreate {
  /** True if a worker has started it. */
  readonly isStarted: boolean;
  /** The details of the activity’s last heartbeat, as JSON, or `null` if there are none. */
  readonly says: string | null;
  /** The time of the last heartbeat, in milliseconds since the epoch. */
  readonly saidAtMs: number;
}

/** Returns the session's create activity if it has not ended. */
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
