import { afterAll, expect, test } from '@jest/globals';
import type { Running } from '../../support/cli/run-paysession';
import { leftOpen } from '../../support/requests';
import { until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';
import { workerProcess } from '../../support/worlds/worker-process';

// The payment service limits an account’s calls. Four workers share the account, and one of them leaves soon.

const CALLS_PER_SECOND = 9;
const WINDOW_MS = 10_000;
const LIMIT = (CALLS_PER_SECOND * WINDOW_MS) / 1_000;
/** Calls of one idle second may be made later, so a window may have a few more calls. */
const TOLERANCE = 1.15;
const SESSIONS = 30;
/** The time in which the others take over the share: a worker that left still counts for 120 s, plus two checks and one window, plus half. */
const WITHIN_MS = 1.5 * (120_000 + 5_000 + WINDOW_MS);

const world = useWorld({
  account: { callsPerSecond: CALLS_PER_SECOND },
  sandbox: {
    rateLimitRequests: Math.ceil(TOLERANCE * LIMIT),
    rateLimitWindowMs: WINDOW_MS,
  },
});
const workers: Running[] = [];

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.interrupt()));
});

/** Returns the times of calls about sessions, in milliseconds since the epoch. */
const callTimes = (): number[] =>
  world.sandbox.calls.filter(({ route }) => route !== 'authorize').map(({ at }) => Date.parse(at));

/** Returns the number of calls in the window that begins at `sinceMs`. */
const callsFrom = (times: readonly number[], sinceMs: number): number =>
  times.filter((atMs) => atMs >= sinceMs && atMs < sinceMs + WINDOW_MS).length;

test(
  'workers share one account’s rate limit, and after one worker leaves, the others take over its share',
  async () => {
    for (let count = 0; count < 3; count += 1) workers.push(workerProcess(world));
    await until(
      () => Promise.resolve(workers.map((worker) => worker.errors())),
      (logs) => logs.every((log) => log.includes('workers=4')),
      WITHIN_MS,
    );
    await world.stopWorker();
    // The polls stay frequent. If they became rarer, the sessions would need fewer calls than the limit allows.
    const input = () => world.input(leftOpen(), { fastestPoll: '200ms', slowestPoll: '200ms' });
    await Promise.all(Array.from({ length: SESSIONS }, () => world.sessions.start(input())));

    const beganAtMs = await until(
      () => Promise.resolve(callTimes()[0] ?? Infinity),
      (firstMs) => Date.now() >= firstMs + WINDOW_MS,
    );
    expect(callsFrom(callTimes(), beganAtMs)).toBeLessThanOrEqual(TOLERANCE * LIMIT * (3 / 4));

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
  3 * WITHIN_MS,
);
