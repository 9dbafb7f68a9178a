import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eft } from '../support/requests';
import { until } from '../support/wait';
import { createWorld, type World } from '../support/world';

const CALLS_PER_SECOND = 10;

let world: World;

beforeAll(async () => {
  world = await createWorld({ account: { callsPerSecond: CALLS_PER_SECOND } });
});

afterAll(async () => {
  await world.close();
});

test('a rate limit holds for all sessions of the account together', async () => {
  const open = () => world.sessions.open(world.input(eft('sandbox-stays-initiated')));
  const opened = await Promise.all(Array.from({ length: 8 }, open));
  const polls = () => world.sandbox.calls.filter(({ route }) => route === 'details');
  await until(
    () => Promise.resolve(polls().length),
    (count) => count >= 4 * CALLS_PER_SECOND,
  );
  await Promise.all(opened.map(({ session }) => session.cancelAndWait()));
  const times = polls().map(({ at }) => Date.parse(at));
  const inTheSecondAfter = times.map(
    (start) => times.filter((time) => time >= start && time < start + 1_000).length,
  );
  // One second's calls may have been saved up, and a call may arrive a little late.
  expect(Math.max(...inTheSecondAfter)).toBeLessThanOrEqual(2 * CALLS_PER_SECOND + 2);
});
