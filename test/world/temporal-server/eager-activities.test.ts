import { expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import { leftOpen } from '../../support/requests';
import { startOwnTemporalServer } from '../../support/worlds/own-temporal';
import { createWorld } from '../../support/worlds/world';

// “Eager” means: the server hands out an activity in the answer to the workflow task that scheduled it.
test('the Temporal server starts activities eagerly: they run although the worker cannot poll for activities', async () => {
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
