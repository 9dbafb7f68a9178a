import { expect, test } from '@jest/globals';
import { workerProcess } from '../../../support/worlds/worker-process';
import { useWorld } from '../../../support/worlds/use-world';
import {
  completeAll,
  HEARTBEAT_TIMEOUT_MS,
  MARGIN_MS,
  openMany,
  POLL_MS,
  polled,
  SESSIONS,
} from '../../../support/workflows/follow/many-open';

/** Measures how soon another worker polls open sessions after their worker is lost. */

const world = useWorld();

test('if a worker stops, another worker takes over its sessions at once', async () => {
  const opened = await openMany(world, SESSIONS);
  const second = workerProcess(world);
  await second.line(/^working/);
  try {
    await world.stopWorker();
    await polled(world, opened, new Date());
    expect(await completeAll(world, opened)).toBeLessThanOrEqual(POLL_MS + MARGIN_MS);
  } finally {
    second.child.kill('SIGKILL');
    await world.startWorker();
  }
});

test(
  'if a worker is killed, another worker takes over its sessions within forty seconds',
  async () => {
    const doomed = workerProcess(world);
    await doomed.line(/^working/);
    await world.stopWorker();
    const opened = await openMany(world, SESSIONS).finally(() => doomed.child.kill('SIGKILL'));
    await world.startWorker();
    expect(await completeAll(world, opened)).toBeLessThanOrEqual(HEARTBEAT_TIMEOUT_MS + MARGIN_MS);
  },
  3 * HEARTBEAT_TIMEOUT_MS,
);
