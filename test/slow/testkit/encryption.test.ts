import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createPaymentWorld } from '../../../testkit';
import { testBundle } from '../../support/setup/global-values';
import { everythingIn } from '../../support/everything-in';
import { geft } from '../../support/requests';

test('a payment world with encryption stores the texts of sessions and of the user’s own workflows only encrypted', async () => {
  await using world = await createPaymentWorld({
    bundlePath: testBundle(),
    workflowsPath: require.resolve('../../support/business-workflows'),
    encryption: { current: { id: 'test', secret: randomBytes(32) } },
  });
  const running = await world.client.workflow.start('recordsChanges', {
    workflowId: 'business',
    taskQueue: world.taskQueue,
    args: [{ key: 'order-1', request: geft() }, {}],
  });
  await (await world.payorOf('order-1')).completes();
  expect(await running.result()).toMatchObject({
    changes: [{ phase: 'open' }],
    result: { status: 'Completed' },
  });
  for (const workflowId of ['business', 'payment-session/order-1']) {
    const stored = everythingIn(await world.client.workflow.getHandle(workflowId).fetchHistory());
    expect(stored).toContain('binary/encrypted');
    for (const plain of ['Avery', 'Tremblay', 'King Street']) expect(stored).not.toContain(plain);
  }
});
