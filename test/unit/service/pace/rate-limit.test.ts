import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { seededRandom, testSeed } from '../../../support/seed';
import { elapsing, limitedService, runSession } from '../../../support/service/limited-service';
import {
  clockWindows,
  fixedWindows,
  slidingWindow,
  tokenBucket,
  type Limit,
  type Limiter,
} from '../../../support/service/limiters';

const seed = testSeed();

beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 0, 5) });
});

afterEach(() => {
  jest.useRealTimers();
});

const SECOND = 1_000;
/** Four calls each: a create and three polls. */
const SESSIONS = 60;
const CALLS = 240;

interface ServiceOptions {
  readonly callsPerSecond?: number;
  readonly answersInMs?: number;
}

/** Runs sixty sessions at once at a service with this limit. Returns the duration, the numbers of calls, and the reported pauses. */
async function sixtySessions(limiter: Limiter, options: ServiceOptions = {}) {
  const service = limitedService({ limiter, random: seededRandom(seed), ...options });
  const sinceMs = Date.now();
  const all = Promise.all(Array.from({ length: SESSIONS }, () => runSession(service, 3)));
  await elapsing(all, (ms) => jest.advanceTimersByTimeAsync(ms));
  const { taken, refused, pauses } = service;
  return { tookMs: Date.now() - sinceMs, taken: taken.length, refused: refused.length, pauses };
}

const idealMs = ({ calls, perMs }: Limit): number => (CALLS / calls) * perMs;
const A_TENTH = CALLS / 10;

const SHAPES = { fixedWindows, clockWindows, slidingWindow, tokenBucket };
const shapes = Object.keys(SHAPES) as (keyof typeof SHAPES)[];

describe('sixty sessions take at most 1.5 times the ideal time at a rate limit that no setting has', () => {
  const limits: readonly Limit[] = [
    { calls: 2, perMs: SECOND },
    { calls: 5, perMs: SECOND },
    { calls: 20, perMs: SECOND },
    { calls: 50, perMs: 10 * SECOND },
    { calls: 100, perMs: 60 * SECOND },
  ];
  const cases = limits.flatMap((limit) => shapes.map((shape) => ({ ...limit, shape })));

  test.each(cases)('$calls calls in $perMs ms, $shape', async ({ shape, ...limit }) => {
    const { tookMs, taken, refused, pauses } = await sixtySessions(SHAPES[shape](limit));
    expect(taken).toBe(CALLS);
    // A bucket that holds a minute's calls shows its rate only when it is empty.
    const mostRefused = shape === 'tokenBucket' && limit.perMs > 10 * SECOND ? 2 * A_TENTH : A_TENTH;
    expect(refused).toBeLessThanOrEqual(mostRefused);
    expect(tookMs).toBeLessThanOrEqual(1.5 * idealMs(limit));
    // One line for the limit and one for its end, however often it is met.
    expect(pauses).toEqual([expect.objectContaining({ cause: 'SERVICE_RATE_LIMITED' }), undefined]);
  });

  test.each([5, 400])('if answers take %d ms', async (answersInMs) => {
    const limit = { calls: 5, perMs: SECOND };
    const { tookMs, refused } = await sixtySessions(fixedWindows(limit), { answersInMs });
    expect(refused).toBeLessThanOrEqual(A_TENTH);
    expect(tookMs).toBeLessThanOrEqual(1.5 * idealMs(limit));
  });
});

describe('a rate limit from a setting', () => {
  test.each(shapes)('a little below the service’s limit is rarely exceeded, with %s', async (shape) => {
    const limit = { calls: 5, perMs: SECOND };
    const { tookMs, refused } = await sixtySessions(SHAPES[shape](limit), { callsPerSecond: 4.8 });
    expect(refused).toBeLessThanOrEqual(A_TENTH / 2);
    expect(tookMs).toBeLessThanOrEqual(1.5 * idealMs(limit));
  });

  test('is kept if the service has none', async () => {
    const { tookMs, refused } = await sixtySessions(() => 0, { callsPerSecond: 5 });
    expect(refused).toBe(0);
    // A second's calls may go at once.
    expect(tookMs).toBeGreaterThanOrEqual(((CALLS - 5) / 5) * SECOND);
    expect(tookMs).toBeLessThanOrEqual(1.1 * idealMs({ calls: 5, perMs: SECOND }));
  });
});

test('after the payment service lifts its rate limit, calls become faster', async () => {
  const untilMs = Date.now() + 20 * SECOND;
  const limited = fixedWindows({ calls: 2, perMs: SECOND });
  const { tookMs } = await sixtySessions((nowMs) => (nowMs < untilMs ? limited(nowMs) : 0));
  // About 40 calls go in the first 20 s. At two a second, the others would take another 100 s.
  expect(tookMs).toBeLessThanOrEqual(70 * SECOND);
});
