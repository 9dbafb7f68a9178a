import { describe, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { pollersOf } from '../../../src/sessions/calls/workers';
import { useClock } from '../../support/put-clock';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const putClock = useClock();
const world = useWorld();

const found = (client: Client) =>
  until(
    () => pollersOf(client, world.taskQueue),
    (pollers) => pollers.length > 0,
  );

describe('a client whose clock is almost a minute', () => {
  test.each([
    ['ahead', 50_000],
    ['behind', -50_000],
  ])('%s finds the running worker', async (_, byMs) => {
    await found(world.client);
    putClock(byMs);
    const [worker, ...others] = await found(world.client);
    expect(others).toEqual([]);
    expect(worker).toMatchObject({ recent: true });
  });
});
