import { expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import { leftOpen } from '../../support/requests';
import { startOwnEngine } from '../../support/worlds/own-engine';
import { createWorld } from '../../support/worlds/world';

test('the engine hands a worker its activity with the answer to the task, although none may be asked for', async () => {
  const engine = await startOwnEngine();
  const world = await createWorld({ engineAddress: engine.address });
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
    await engine.stop();
  }
});
