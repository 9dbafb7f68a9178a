import { expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import { leftOpen } from '../../support/requests';
import { startOwnTemporalServer } from '../../support/worlds/own-temporal';
import { createWorld } from '../../support/worlds/world';

test('the Temporal server gives a worker its activity with the answer to a workflow task, even if activities cannot be polled', async () => {
  const server = await startOwnTemporalServer();
  const world = await createWorld({ temporalAddress: server.address });
  try {
    await world.client.workflowService.updateTaskQueueConfig({
      namespace: 'default',
      taskQueue: world.taskQueue,
      taskQueueType: temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
      updateQueueRateLimit: { rateLimit: { requestsPerSecond: 0 }, reason: 'test' },
    });
    const { checkoutUrl } = await world.sessions.open(world.input(leftOpen()));
    expect(checkoutUrl).toContain(world.account.baseUrl);
  } finally {
    await world.close();
    await server.stop();
  }
});
