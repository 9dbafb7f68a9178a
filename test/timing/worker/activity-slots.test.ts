import { beforeAll, expect, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const SLOTS = 5;
/** Shorter than one burst of polls. */
const WITHIN_MS = 15_000;

const world = useWorld();

beforeAll(async () => {
  await world.stopWorker();
  await world.startWorker({ activitySlots: SLOTS });
});

const open = () => world.sessions.open(world.input(leftOpen()));

/** Returns the ids of the sessions that have been polled at least once. */
const polled = () =>
  new Set(world.sandbox.calls.filter(({ route }) => route === 'details').map(({ sessionId }) => sessionId));

test(
  'a worker opens and cancels a session while it polls more sessions than it has activity slots',
  async () => {
    const opened = await Promise.all(Array.from({ length: 2 * SLOTS }, open));
    await until(
      () => Promise.resolve(polled().size),
      (count) => count === opened.length,
    );
    const { session } = await open();
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  },
  WITHIN_MS,
);
