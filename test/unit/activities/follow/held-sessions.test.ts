import { afterEach, expect, jest, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { HeldSessions } from '../../../../activities';
import { PollSchedule } from '../../../../activities/follow/follow-session';
import type { FollowSessionInput } from '../../../../src/protocol/activities/activities';
import { seededRandom, testSeed } from '../../../support/seed';
import { SESSION_ID } from '../../../support/service/local-service';

const SECOND = 1_000;
const HOUR = 60 * 60_000;
const random = seededRandom(testSeed());

afterEach(() => {
  jest.useRealTimers();
});

/** Is not polled before the test is over. */
const INPUT: FollowSessionInput = {
  account: 'default',
  sessionId: SESSION_ID,
  known: { kind: 'EFT', furthest: 0, status: 'Initiated', code: 'EFT0101' },
  cadence: { fastestMs: HOUR, slowestMs: HOUR, steadyMs: 0 },
  sinceChangeMs: 0,
  forMs: 24 * HOUR,
  heldUpToMs: HOUR,
};

test('a worker that stops hands over the sessions that it holds, for another attempt at once', async () => {
  const failures: unknown[] = [];
  const unexpected = () => Promise.reject(new Error('unexpected'));
  const held = new HeldSessions({
    completion: {
      heartbeat: unexpected,
      complete: unexpected,
      reportCancellation: unexpected,
      fail: (_token, failure) => {
        failures.push(failure);
        return Promise.resolve();
      },
    },
  });
  const info = { attempt: 1, scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 0 };
  held.hold({
    poll: unexpected,
    input: INPUT,
    schedule: new PollSchedule(INPUT, info),
    taskToken: new Uint8Array(),
    activity: 'follow the session',
    heartbeatTimeoutMs: HOUR,
  });
  expect([held.size, held.hasRoom]).toEqual([1, true]);
  await held.stop();
  expect([held.size, held.hasRoom]).toEqual([0, false]);
  expect(failures).toEqual([expect.any(ApplicationFailure)]);
  expect(failures).toMatchObject([{ type: 'FollowAgain', category: 'BENIGN', nextRetryDelay: 100 }]);
});

test('polls that are due close together are made together, each within a sixteenth of its time', async () => {
  jest.useFakeTimers();
  const done = () => Promise.resolve();
  const held = new HeldSessions({
    completion: { heartbeat: done, complete: done, reportCancellation: done, fail: done },
  });
  const polledAtMs: number[] = [];
  const offByShare: number[] = [];
  const beganAtMs = performance.now();
  const info = { attempt: 1, scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 0 };
  for (let session = 0; session < 40; session += 1) {
    const waitMs = Math.round(8 * SECOND + random() * 2 * SECOND);
    const cadence = { fastestMs: waitMs, slowestMs: waitMs, steadyMs: 0 };
    const input = { ...INPUT, sessionId: `session-${session}`, cadence };
    held.hold({
      poll: () => {
        polledAtMs.push(performance.now());
        offByShare.push(Math.abs(performance.now() - beganAtMs - waitMs) / waitMs);
        return Promise.resolve({ outcome: 'interrupted' });
      },
      input,
      schedule: new PollSchedule(input, info, { random: () => 0.5 }),
      taskToken: new Uint8Array(),
      activity: input.sessionId,
      heartbeatTimeoutMs: HOUR,
    });
  }
  await jest.advanceTimersByTimeAsync(20 * SECOND);
  expect(polledAtMs).toHaveLength(40);
  expect(new Set(polledAtMs).size).toBeLessThan(20);
  expect(Math.max(...offByShare)).toBeLessThanOrEqual(1 / 16);
  expect(held.size).toBe(0);
});
