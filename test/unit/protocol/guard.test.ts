import { expect, test } from '@jest/globals';
import { beatEveryMs, guardOf } from '../../../src/protocol/cadence';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The guard when polls are this far apart. */
const guardAt = (everyMs: number, slowestMs = 86_400_000) =>
  guardOf({ fastestMs: everyMs, slowestMs, steadyMs: 0 }, 0);

test('a lost worker is noticed after three polls, or thirty seconds where that is longer', () => {
  expect([50, 3 * SECOND, 10 * SECOND].map((everyMs) => guardAt(everyMs).heartbeatTimeoutMs)).toEqual([
    30 * SECOND,
    30 * SECOND,
    30 * SECOND,
  ]);
  expect(guardAt(MINUTE).heartbeatTimeoutMs).toBe(3 * MINUTE);
});

test('a guard fits until the intervals have doubled', () => {
  expect(guardAt(3 * SECOND).heldUpToMs).toBe(20 * SECOND);
  expect(guardAt(MINUTE).heldUpToMs).toBe(2 * MINUTE);
});

test('the longest interval has a guard of its own, since intervals grow no more', () => {
  expect(guardAt(20 * MINUTE, 30 * MINUTE).heldUpToMs).toBeLessThan(30 * MINUTE);
  const last = guardAt(30 * MINUTE, 30 * MINUTE);
  expect(last.heartbeatTimeoutMs).toBe(90 * MINUTE);
  expect(last.heldUpToMs).toBeGreaterThanOrEqual(30 * MINUTE);
});

test('a longest interval that the first guard fits needs no other', () => {
  expect(guardAt(3 * SECOND, 5 * SECOND).heldUpToMs).toBeGreaterThanOrEqual(5 * SECOND);
});

test('polls more than half an hour apart are attempts of their own', () => {
  expect(guardAt(30 * MINUTE + 1)).toEqual({ heartbeatTimeoutMs: 30 * SECOND });
  expect(guardAt(30 * MINUTE).heldUpToMs).toBeGreaterThan(0);
});

test('heartbeats come in time, and not much sooner', () => {
  const { heartbeatTimeoutMs } = guardAt(0);
  expect(beatEveryMs(heartbeatTimeoutMs)).toBe(27 * SECOND);
});
