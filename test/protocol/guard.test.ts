import { expect, test } from '@jest/globals';
import { beatEveryMs, guardOf } from '../../src/protocol/cadence';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

test('a lost worker is noticed after three polls, or thirty seconds where that is longer', () => {
  expect([50, 3 * SECOND, 10 * SECOND].map((everyMs) => guardOf(everyMs).heartbeatTimeoutMs)).toEqual([
    30 * SECOND,
    30 * SECOND,
    30 * SECOND,
  ]);
  expect(guardOf(MINUTE).heartbeatTimeoutMs).toBe(3 * MINUTE);
});

test('a guard fits until the intervals have doubled', () => {
  expect(guardOf(3 * SECOND).heldUpToMs).toBe(20 * SECOND);
  expect(guardOf(MINUTE).heldUpToMs).toBe(2 * MINUTE);
});

test('polls ten minutes apart and more are attempts of their own', () => {
  expect(guardOf(10 * MINUTE)).toEqual({ heartbeatTimeoutMs: 30 * SECOND });
  expect(guardOf(10 * MINUTE - 1).heldUpToMs).toBeGreaterThan(0);
});

test('heartbeats come in time, and not much sooner', () => {
  const { heartbeatTimeoutMs } = guardOf(0);
  expect(beatEveryMs(heartbeatTimeoutMs)).toBe(27 * SECOND);
});
