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

test('unlessStuck resolves once a skip of time has ended, and rejects if the skip fails', async () => {
  await expect(unlessStuck(Promise.resolve(), [idle], CHECKS)).resolves.toBeUndefined();
  await expect(unlessStuck(Promise.reject(new Error('gone')), [idle], CHECKS)).rejects.toThrow('gone');
});

test('unlessStuck rejects if a skip does not end and the workers have had nothing to do for long', async () => {
  await expect(unlessStuck(never, [idle, idle], CHECKS)).rejects.toMatchObject({ code: 'TEMPORAL_STUCK' });
});

test('unlessStuck keeps waiting as long as a worker has something to do', async () => {
  let checks = 0;
  const busyForLong = workerWith(() => ((checks += 1) > 3 * CHECKS ? 0 : 1));
  await expect(unlessStuck(never, [idle, busyForLong], CHECKS)).rejects.toMatchObject({
    code: 'TEMPORAL_STUCK',
  });
  expect(checks).toBeGreaterThanOrEqual(4 * CHECKS);
});
