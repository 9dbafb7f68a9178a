import { expect, test } from '@jest/globals';
import { beatEveryMs, guardOf } from '../../../src/protocol/cadence';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Returns the guard of a session with this interval between polls: a heartbeat timeout, and the longest interval for which it suits. */
const guardAt = (everyMs: number, slowestMs = 86_400_000) =>
  guardOf({ fastestMs: everyMs, slowestMs, steadyMs: 0 }, 0);

test('the heartbeat timeout is three intervals between polls, and at least thirty seconds', () => {
  expect([50, 3 * SECOND, 10 * SECOND].map((everyMs) => guardAt(everyMs).heartbeatTimeoutMs)).toEqual([
    30 * SECOND,
    30 * SECOND,
    30 * SECOND,
  ]);
  expect(guardAt(MINUTE).heartbeatTimeoutMs).toBe(3 * MINUTE);
});

test('a heartbeat timeout suits a session until the intervals between its polls have doubled', () => {
  expect(guardAt(3 * SECOND).heldUpToMs).toBe(20 * SECOND);
  expect(guardAt(MINUTE).heldUpToMs).toBe(2 * MINUTE);
});

test('the longest interval between polls has a heartbeat timeout of its own, which suits until the session ends', () => {
  expect(guardAt(20 * MINUTE, 30 * MINUTE).heldUpToMs).toBeLessThan(30 * MINUTE);
  const last = guardAt(30 * MINUTE, 30 * MINUTE);
  expect(last.heartbeatTimeoutMs).toBe(90 * MINUTE);
  expect(last.heldUpToMs).toBeGreaterThanOrEqual(30 * MINUTE);
});

test('a heartbeat timeout suits until the session ends if it suits the longest interval between polls', () => {
  expect(guardAt(3 * SECOND, 5 * SECOND).heldUpToMs).toBeGreaterThanOrEqual(5 * SECOND);
});

test('a session whose polls are more than half an hour apart is not held: each poll is one attempt', () => {
  expect(guardAt(30 * MINUTE + 1)).toEqual({ heartbeatTimeoutMs: 30 * SECOND });
  expect(guardAt(30 * MINUTE).heldUpToMs).toBeGreaterThan(0);
});

test('heartbeats are sent shortly before the timeout: after 27 of 30 seconds', () => {
  const { heartbeatTimeoutMs } = guardAt(0);
  expect(beatEveryMs(heartbeatTimeoutMs)).toBe(27 * SECOND);
});
