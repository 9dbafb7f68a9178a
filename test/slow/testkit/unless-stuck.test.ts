import { expect, test } from '@jest/globals';
import type { WorkerStatus } from '@temporalio/worker';
import { unlessStuck, type StatusOf } from '../../../testkit/world/virtual-time';

const CHECKS = 5;
const never = new Promise<never>(() => undefined);

const workerWith =
  (activities: () => number): StatusOf =>
  () =>
    ({ numInFlightWorkflowActivations: 0, numInFlightActivities: activities() }) as WorkerStatus;

const idle = workerWith(() => 0);

test('unlessStuck waits for a skip of time that ends, and rejects if the skip fails', async () => {
  await expect(unlessStuck(Promise.resolve(), [idle], CHECKS)).resolves.toBeUndefined();
  await expect(unlessStuck(Promise.reject(new Error('gone')), [idle], CHECKS)).rejects.toThrow('gone');
});

test('unlessStuck gives up a skip of time once the workers have long had nothing to do', async () => {
  await expect(unlessStuck(never, [idle, idle], CHECKS)).rejects.toMatchObject({ code: 'TEMPORAL_STUCK' });
});

test('unlessStuck waits as long as a worker has something to do', async () => {
  let checks = 0;
  const busyForLong = workerWith(() => ((checks += 1) > 3 * CHECKS ? 0 : 1));
  await expect(unlessStuck(never, [idle, busyForLong], CHECKS)).rejects.toMatchObject({
    code: 'TEMPORAL_STUCK',
  });
  expect(checks).toBeGreaterThanOrEqual(4 * CHECKS);
});
