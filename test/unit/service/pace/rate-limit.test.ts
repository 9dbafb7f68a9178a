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
/** Each session makes four calls: a create and three polls. */
const SESSIONS = 60;
const CALLS = 240;

interface ServiceOptions {
  readonly callsPerSecond?: number;
  readonly answersInMs?: number;
}

/** Runs sixty sessions at the same time at a service with this limit. Returns the duration, the numbers of calls, and the reported pauses. */
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

// No setting has the service's rate limit. The worker learns the limit from answers with the status 429.
describe('sixty sessions take at most 1.5 times the ideal time with an unknown rate limit of', () => {
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
    // A token bucket with the calls of a minute shows its rate only after it is empty.
    const mostRefused = shape === 'tokenBucket' && limit.perMs > 10 * SECOND ? 2 * A_TENTH : A_TENTH;
    expect(refused).toBeLessThanOrEqual(mostRefused);
    expect(tookMs).toBeLessThanOrEqual(1.5 * idealMs(limit));
    // The limit is reported once, and its end once, even if it is met often.
    expect(pauses).toEqual([expect.objectContaining({ cause: 'SERVICE_RATE_LIMITED' }), undefined]);
  });

  test.each([5, 400])('5 calls a second, if answers take %d ms', async (answersInMs) => {
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

  test('is kept even if the service has no limit', async () => {
    const { tookMs, refused } = await sixtySessions(() => 0, { callsPerSecond: 5 });
    expect(refused).toBe(0);
    // The calls of the first second may be sent at once.
    expect(tookMs).toBeGreaterThanOrEqual(((CALLS - 5) / 5) * SECOND);
    expect(tookMs).toBeLessThanOrEqual(1.1 * idealMs({ calls: 5, perMs: SECOND }));
  });
});

test('after the payment service lifts its rate limit, calls become faster', async () => {
  const untilMs = Date.now() + 20 * SECOND;
  const limited = fixedWindows({ calls: 2, perMs: SECOND });
  const { tookMs } = await sixtySessions((nowMs) => (nowMs < untilMs ? limited(nowMs) : 0));
  // About 40 calls are sent in the first 20 s. At two calls a second, the other calls would take another 100 s.
  expect(tookMs).toBeLessThanOrEqual(70 * SECOND);
});
