import { afterAll, expect, test } from '@jest/globals';
import type { Running } from '../cli/support';
import { leftOpen } from '../support/requests';
import { until } from '../support/wait';
import { useWorld } from '../support/worlds/use-world';
import { workerProcess } from '../support/worlds/worker-process';

/** One account at a service that limits, and four workers, one of which leaves at once. */

const CALLS_PER_SECOND = 9;
const WINDOW_MS = 10_000;
const LIMIT = (CALLS_PER_SECOND * WINDOW_MS) / 1_000;
/** A second's calls may have been saved up, and workers that start together see each other a second later. */
const TOLERANCE = 1.15;
const SESSIONS = 30;
/** How long the engine may list a worker that has left, in milliseconds. */
const LEFT_COUNTS_MS = 75_000;
/** With the time between two looks, and the last window. */
const WITHIN_MS = LEFT_COUNTS_MS + 5_000 + WINDOW_MS;
/** Well before a worker that has left counts no more. */
const MARGIN_MS = 30_000;

const world = useWorld({
  account: { callsPerSecond: CALLS_PER_SECOND },
  sandbox: {
    rateLimitRequests: Math.ceil(TOLERANCE * LIMIT),
    rateLimitWindowMs: WINDOW_MS,
    maxCalls: 10_000,
  },
});
const workers: Running[] = [];

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.interrupt()));
});

/** When calls about sessions came, in milliseconds since the epoch. */
const callTimes = (): number[] =>
  world.sandbox.calls.filter(({ route }) => route !== 'authorize').map(({ at }) => Date.parse(at));

/** How many calls came in the window that begins then. */
const callsFrom = (times: readonly number[], sinceMs: number): number =>
  times.filter((atMs) => atMs >= sinceMs && atMs < sinceMs + WINDOW_MS).length;

test(
  'workers keep one account’s limit together, and those that stay take the share of one that leaves',
  async () => {
    for (let count = 0; count < 3; count += 1) workers.push(workerProcess(world));
    await Promise.all(workers.map((worker) => worker.line(/^working/)));
    await world.stopWorker();
    const input = () => world.input(leftOpen(), { fastestPoll: '200ms' });
    await Promise.all(Array.from({ length: SESSIONS }, () => world.sessions.start(input())));

    const beganAtMs = await until(
      () => Promise.resolve(callTimes()[0] ?? Infinity),
      (firstMs) => Date.now() >= firstMs + WINDOW_MS,
    );
    // Busy workers that start together may need some seconds until they count each other.
    await until(
      () => Promise.resolve(callsFrom(callTimes(), Date.now() - WINDOW_MS)),
      (calls) => calls <= TOLERANCE * LIMIT * (3 / 4),
      LEFT_COUNTS_MS - (Date.now() - beganAtMs) - MARGIN_MS,
    );

    await until(
      () => Promise.resolve(callsFrom(callTimes(), Date.now() - WINDOW_MS)),
      (calls) => calls >= 0.9 * LIMIT,
      WITHIN_MS,
    );
    const times = callTimes();
    expect(Math.max(...times.map((sinceMs) => callsFrom(times, sinceMs)))).toBeLessThanOrEqual(
      TOLERANCE * LIMIT,
    );
    expect(world.sandbox.calls.filter(({ status }) => status === 429)).toEqual([]);
  },
  2 * WITHIN_MS,
);
