import { expect, test } from '@jest/globals';
import type { WorkerStatus } from '@temporalio/worker';
import { unlessStuck, type StatusOf } from '../../../testkit/world/virtual-time';

const LOOKS = 5;
const never = new Promise<never>(() => undefined);

const workerWith =
  (activities: () => number): StatusOf =>
  () =>
    ({ numInFlightWorkflowActivations: 0, numInFlightActivities: activities() }) as WorkerStatus;

const idle = workerWith(() => 0);

test('a skip that ends is waited for, and one that fails fails', async () => {
  await expect(unlessStuck(Promise.resolve(), [idle], LOOKS)).resolves.toBeUndefined();
  await expect(unlessStuck(Promise.reject(new Error('gone')), [idle], LOOKS)).rejects.toThrow('gone');
});

test('a skip is given up once the workers have long had nothing to do', async () => {
  await expect(unlessStuck(never, [idle, idle], LOOKS)).rejects.toMatchObject({ code: 'TEMPORAL_STUCK' });
});

test('a worker that has something to do may take any time', async () => {
  let looks = 0;
  const busyForLong = workerWith(() => ((looks += 1) > 3 * LOOKS ? 0 : 1));
  await expect(unlessStuck(never, [idle, busyForLong], LOOKS)).rejects.toMatchObject({
    code: 'TEMPORAL_STUCK',
  });
  expect(looks).toBeGreaterThanOrEqual(4 * LOOKS);
});
