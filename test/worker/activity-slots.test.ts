import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eft } from '../support/requests';
import { until } from '../support/wait';
import { createWorld, type World } from '../support/world';

const SLOTS = 5;
/** Less than one burst of polls takes. */
const WITHIN_MS = 15_000;

let world: World;

beforeAll(async () => {
  world = await createWorld();
  await world.stopWorker();
  await world.startWorker({ activitySlots: SLOTS });
});

afterAll(async () => {
  await world.close();
});

const open = () => world.sessions.open(world.input(eft('sandbox-stays-initiated')));

/** Sessions that have been polled once at least. */
const polled = () =>
  new Set(world.sandbox.calls.filter(({ route }) => route === 'details').map(({ sessionId }) => sessionId));

test(
  'sessions open, are polled and are cancelled, although more than the worker has activity slots are polled already',
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
