import { afterAll, expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import { encryptionOf } from '../../../src/encryption/worker-encryption';
import { newKey } from '../../support/undecryptable';
import { until } from '../../support/wait';
import { keyedWorkers } from '../../support/worlds/keyed-workers';
import { useWorld } from '../../support/worlds/use-world';

const { TASK_QUEUE_TYPE_WORKFLOW } = temporal.api.enums.v1.TaskQueueType;
const TASK_QUEUE = 'own-identity';
const world = useWorld();
const workers = keyedWorkers(world, TASK_QUEUE);

afterAll(() => workers.stopAll());

test('a worker with an identity of its own announces its encryption, too', async () => {
  await workers.start({ current: newKey('2031') }, { name: 'shop-1', required: true });
  const { workflowService } = world.client;
  const taskQueue = { name: TASK_QUEUE };
  const { pollers } = await until(
    () =>
      workflowService.describeTaskQueue({
        namespace: 'default',
        taskQueue,
        taskQueueType: TASK_QUEUE_TYPE_WORKFLOW,
      }),
    (described) => described.pollers.length > 0,
  );
  const identity = pollers[0]?.identity ?? '';
  expect(identity).toMatch(/^shop-1 /);
  expect(encryptionOf(identity)).toEqual({ required: true, keyIds: ['2031'] });
});
