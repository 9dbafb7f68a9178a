import { expect, test } from '@jest/globals';
import { actionsOf, eventsOf, following } from '../../../bench/figures/following';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

test('polls every three seconds take one execution of the activity, and a heartbeat every 27 seconds', () => {
  const cadence = { fastestMs: 3 * SECOND, slowestMs: 3 * SECOND, steadyMs: 0 };
  const steady = following(cadence, 9 * MINUTE);
  expect(steady).toEqual({ polls: 180, executions: 1, attempts: 1, heartbeats: 20 });
  expect([eventsOf(steady), actionsOf(steady)]).toEqual([6, 21]);
});

test('polls at growing intervals take one execution of the activity for each heartbeat timeout', () => {
  const cadence = { fastestMs: 3 * SECOND, slowestMs: 5 * MINUTE, steadyMs: 0 };
  // Heartbeat timeouts of 30 s, 60 s, 120 s, 240 s, 480 s, and 900 s for the longest interval.
  expect(following(cadence, HOUR).executions).toBe(6);
});

test('hourly polls take one attempt of the activity each, without heartbeats', () => {
  const cadence = { fastestMs: HOUR, slowestMs: HOUR, steadyMs: 0 };
  expect(following(cadence, 10 * HOUR)).toEqual({ polls: 10, executions: 1, attempts: 11, heartbeats: 0 });
});
