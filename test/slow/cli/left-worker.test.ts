import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { expect, test } from '@jest/globals';
import { examineWorkers } from '../../../cli/commands/doctor/workers';
import { WORKFLOW_TYPE } from '../../../src/protocol/names';
import { pollersOf } from '../../../src/sessions';
import { connectTemporal, readTemporalSettings } from '../../../src/settings';
import { until } from '../../support/wait';
import { useSandbox } from '../../support/cli/use-sandbox';

const { env } = useSandbox();

/** After this time without a poll, the Temporal server fails a query at once, because no worker polls. It still lists the last worker. */
const UNSEEN_AFTER_MS = 20_000;

test('doctor reports that no worker answers, although the Temporal server still lists a worker that has left', async () => {
  const { connection, namespace } = await connectTemporal(readTemporalSettings(env));
  const taskQueue = `left-${randomUUID()}`;
  const queue = { namespace, taskQueue: { name: taskQueue } };
  const { workflowService } = connection;
  try {
    await workflowService.startWorkflowExecution({
      ...queue,
      workflowId: taskQueue,
      workflowType: { name: WORKFLOW_TYPE },
      requestId: randomUUID(),
    });
    // Polls once for one task as a worker does, and never again.
    await connection.withDeadline(Date.now() + 30_000, async () => {
      const { taskToken } = await workflowService.pollWorkflowTaskQueue({ ...queue, identity: 'left' });
      await workflowService.respondWorkflowTaskCompleted({ namespace, taskToken });
    });
    await until(
      () => pollersOf(new Client({ connection, namespace }), taskQueue),
      ([poller]) => poller !== undefined && Date.now() - poller.polledAtMs > UNSEEN_AFTER_MS + 1_000,
    );
    expect(await examineWorkers(new Client({ connection, namespace }), taskQueue)).toMatchObject({
      ok: false,
      found: expect.stringMatching(/^1 polls .*left \(last polled .* got no answer/),
    });
  } finally {
    await workflowService.terminateWorkflowExecution({
      namespace,
      workflowExecution: { workflowId: taskQueue },
    });
    await connection.close();
  }
});
