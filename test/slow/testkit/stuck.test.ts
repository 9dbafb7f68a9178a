import { expect, test } from '@jest/globals';
import { usePaymentWorld } from '../../support/worlds/payment-world';

const world = usePaymentWorld();

test('if a workflow waits for a worker that does not exist, a payment world reports after half a minute that time cannot skip', async () => {
  const workflow = await world.client.workflow.start('order', {
    taskQueue: 'misspelt',
    workflowId: 'order-1',
  });
  const stuck = { code: 'TEMPORAL_STUCK', message: expect.stringContaining('its task queue') };
  const times = [world.advance('1h'), workflow.result()];
  for (const time of times) await expect(time).rejects.toMatchObject(stuck);
});
