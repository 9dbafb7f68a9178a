import { expect, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { FOUR_PARTITIONS, useTemporalServer } from '../../support/worlds/own-temporal';
import { useWorld } from '../../support/worlds/use-world';

const temporal = useTemporalServer(FOUR_PARTITIONS);
const world = useWorld(() => ({ temporalAddress: temporal.address }));
const POLICY = { fastestPoll: '10m', slowestPoll: '10m' } as const;

const BURSTS = 10;
const AT_ONCE = 30;

/** Opens thirty sessions at once. Returns the milliseconds that each session took to open, the quickest first. */
async function burst(): Promise<readonly number[]> {
  const startedAtMs = performance.now();
  const open = async () => {
    await world.sessions.open({ ...world.input(leftOpen()), policy: POLICY });
    return performance.now() - startedAtMs;
  };
  return (await Promise.all(Array.from({ length: AT_ONCE }, open))).sort((a, b) => a - b);
}

test('if thirty sessions start at once, none waits in the task queue while the worker is free', async () => {
  await burst();
  const slowest: number[] = [];
  for (let index = 0; index < BURSTS; index += 1) {
    const times = await burst();
    slowest.push((times.at(-1) ?? NaN) / (times[AT_ONCE / 2] ?? NaN));
  }
  // A session that waited in the task queue would take two seconds longer. The other sessions take half a second.
  expect(Math.max(...slowest)).toBeLessThan(3);
});
