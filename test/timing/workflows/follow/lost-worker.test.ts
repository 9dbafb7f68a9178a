import { expect, test } from '@jest/globals';
import { workerProcess } from '../../../support/worlds/worker-process';
import { useWorld } from '../../../support/worlds/use-world';
import {
  completeAll,
  GUARD_MS,
  MARGIN_MS,
  openMany,
  POLL_MS,
  polled,
  SESSIONS,
} from '../../../support/workflows/follow/many-open';

/** Measures how soon open sessions go on after their worker is lost. */

const world = useWorld();

test('a worker that stops hands its sessions over at once', async () => {
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
  'another worker follows the sessions of a worker that is killed',
  async () => {
    const doomed = workerProcess(world);
    await doomed.line(/^working/);
    await world.stopWorker();
    const opened = await openMany(world, SESSIONS).finally(() => doomed.child.kill('SIGKILL'));
    await world.startWorker();
    expect(await completeAll(world, opened)).toBeLessThanOrEqual(GUARD_MS + MARGIN_MS);
  },
  3 * GUARD_MS,
);
