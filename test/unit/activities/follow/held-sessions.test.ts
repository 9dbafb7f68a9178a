import { afterEach, expect, jest, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { HeldSessions } from '../../../../activities';
import type { FollowSessionInput, PollResult } from '../../../../src/protocol/activities';
import { PollSchedule, type Holding } from '../../../../activities/follow-session';
import { seededRandom, testSeed } from '../../../support/seed';
import { SESSION_ID } from '../../../support/service/local-service';

const SECOND = 1_000;
const HOUR = 60 * 60_000;
const random = seededRandom(testSeed());

afterEach(() => {
  jest.useRealTimers();
});

/** The input of a session whose first poll is due only after the test. */
const INPUT: FollowSessionInput = {
  account: 'default',
  sessionId: SESSION_ID,
  known: { kind: 'EFT', furthest: 0, status: 'Initiated', code: 'EFT0101' },
  cadence: { fastestMs: HOUR, slowestMs: HOUR, steadyMs: 0 },
  sinceChangeMs: 0,
  forMs: 24 * HOUR,
  heldUpToMs: HOUR,
};

const INFO = { attempt: 1, scheduledTimestampMs: 0, currentAttemptScheduledTimestampMs: 0 };

/** Returns a worker's held sessions, whose attempts can end only by a failure, and the list of these failures. */
function heldByWorker(): { held: HeldSessions; failures: unknown[] } {
  const failures: unknown[] = [];
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
  return { held, failures };
}

const unexpected = () => Promise.reject(new Error('unexpected'));

function hold(held: HeldSessions, input: FollowSessionInput, poll: Holding['poll']): void {
  held.hold({
    poll,
    input,
    schedule: new PollSchedule(input, INFO),
    taskToken: new Uint8Array(),
    activity: 'follow the session',
    heartbeatTimeoutMs: HOUR,
  });
}

// A worker holds a session in memory between two polls, without an activity slot. If the worker stops, it fails the
// activity's attempt, so that another worker starts the next attempt and continues.
test('a worker that stops fails the attempts of its held sessions, so that the next attempts begin at once', async () => {
  const { held, failures } = heldByWorker();
  hold(held, INPUT, unexpected);
  expect([held.size, held.hasRoom]).toEqual([1, true]);
  await held.stop();
  expect([held.size, held.hasRoom]).toEqual([0, false]);
  expect(failures).toEqual([expect.any(ApplicationFailure)]);
  expect(failures).toMatchObject([{ type: 'FollowAgain', category: 'BENIGN', nextRetryDelay: 100 }]);
});

test('a worker that stops does not report the poll that fails meanwhile: the next attempt polls again', async () => {
  const { held, failures } = heldByWorker();
  const finishPoll = await new Promise<(answer: PollResult) => void>((isPolled) => {
    hold(held, { ...INPUT, atOnce: true }, () => new Promise(isPolled));
  });
  const stopped = held.stop();
  finishPoll({ outcome: 'failed', failure: { code: 'SERVICE_PAUSED', message: 'paused', retryAfterMs: 31 } });
  await stopped;
  expect(failures).toMatchObject([{ type: 'FollowAgain', nextRetryDelay: 100 }]);
});

test('a worker combines polls that are due at nearly the same time, and moves each by at most 1/16 of its wait', async () => {
  jest.useFakeTimers();
  const done = () => Promise.resolve();
  const held = new HeldSessions({
    completion: { heartbeat: done, complete: done, reportCancellation: done, fail: done },
  });
  const polledAtMs: number[] = [];
  const shiftShares: number[] = [];
  const beganAtMs = performance.now();
  for (let session = 0; session < 40; session += 1) {
    const waitMs = Math.round(8 * SECOND + random() * 2 * SECOND);
    const cadence = { fastestMs: waitMs, slowestMs: waitMs, steadyMs: 0 };
    const input = { ...INPUT, sessionId: `session-${session}`, cadence };
    held.hold({
      poll: () => {
        polledAtMs.push(performance.now());
        shiftShares.push(Math.abs(performance.now() - beganAtMs - waitMs) / waitMs);
        return Promise.resolve({ outcome: 'interrupted' });
      },
      input,
      schedule: new PollSchedule(input, INFO, { random: () => 0.5 }),
      taskToken: new Uint8Array(),
      activity: input.sessionId,
      heartbeatTimeoutMs: HOUR,
    });
  }
  await jest.advanceTimersByTimeAsync(20 * SECOND);
  expect(polledAtMs).toHaveLength(40);
  expect(new Set(polledAtMs).size).toBeLessThan(20);
  expect(Math.max(...shiftShares)).toBeLessThanOrEqual(1 / 16);
  expect(held.size).toBe(0);
});
