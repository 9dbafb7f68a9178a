import { expect, test } from '@jest/globals';
import { beatEveryMs, guardOf } from '../../../src/protocol/cadence';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Returns the guard (heartbeat timeout, and the longest interval that it suits) of a session with this interval between polls. */
const guardAt = (everyMs: number, slowestMs = 86_400_000) =>
  guardOf({ fastestMs: everyMs, slowestMs, steadyMs: 0 }, 0);

test('a lost worker is noticed after three intervals between polls, and at the earliest after thirty seconds', () => {
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

test('the longest interval between polls has its own heartbeat timeout, since intervals no longer grow', () => {
  expect(guardAt(20 * MINUTE, 30 * MINUTE).heldUpToMs).toBeLessThan(30 * MINUTE);
  const last = guardAt(30 * MINUTE, 30 * MINUTE);
  expect(last.heartbeatTimeoutMs).toBe(90 * MINUTE);
  expect(last.heldUpToMs).toBeGreaterThanOrEqual(30 * MINUTE);
});

test('if the first heartbeat timeout suits the longest interval between polls, no other is needed', () => {
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
