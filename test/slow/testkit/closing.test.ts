import { EventEmitter, once } from 'node:events';
import { expect, test } from '@jest/globals';
import { createPaymentWorld } from '../../../testkit';
import { bundled } from '../../support/setup/bundled';
import { testBundle } from '../../support/setup/global-values';
import { nativeRuntime, untilNativeRuntimeEnds } from '../../support/native-runtime';

test('a payment world that is closed reports after half a minute that a cancelled activity still runs, and does not keep the process running afterwards', async () => {
  const activity = new EventEmitter();
  const started = once(activity, 'started');
  const world = await createPaymentWorld({
    bundlePath: testBundle(),
    workflowBundle: await bundled(require.resolve('../../support/broken-workflows')),
    activities: {
      ship: async () => {
        activity.emit('started');
        await once(activity, 'released');
      },
    },
  });
  await world.client.workflow.start('ships', { workflowId: 'order-1', taskQueue: world.taskQueue });
  await started;
  await expect(world.close()).rejects.toMatchObject({
    code: 'TESTED_CODE_FAILED',
    message: expect.stringContaining('tasks under way: 1. An activity of yours goes on'),
  });
  expect(nativeRuntime()).toBeDefined();
  activity.emit('released');
  await untilNativeRuntimeEnds();
});
