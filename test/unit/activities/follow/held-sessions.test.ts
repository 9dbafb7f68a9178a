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

/** The input of a session that is not polled before the test is over. */
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

/** Returns a holder whose sessions can only end by a failed attempt, and the list of these failures. */
function handedOver(): { held: HeldSessions; failures: unknown[] } {
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

test('a worker that stops ends the attempts of its held sessions, so that other attempts begin at once', async () => {
  const { held, failures } = handedOver();
  hold(held, INPUT, unexpected);
  expect([held.size, held.hasRoom]).toEqual([1, true]);
  await held.stop();
  expect([held.size, held.hasRoom]).toEqual([0, false]);
  expect(failures).toEqual([expect.any(ApplicationFailure)]);
  expect(failures).toMatchObject([{ type: 'FollowAgain', category: 'BENIGN', nextRetryDelay: 100 }]);
});

test('a poll that fails because its worker stops is not reported: another attempt polls again', async () => {
  const { held, failures } = handedOver();
  const turnAway = await new Promise<(answer: PollResult) => void>((isPolled) => {
    hold(held, { ...INPUT, atOnce: true }, () => new Promise(isPolled));
  });
  const stopped = held.stop();
  turnAway({ outcome: 'failed', failure: { code: 'SERVICE_PAUSED', message: 'paused', retryAfterMs: 31 } });
  await stopped;
  expect(failures).toMatchObject([{ type: 'FollowAgain', nextRetryDelay: 100 }]);
});

test('polls that are due at nearly the same time are made together, each at most a sixteenth of its wait early or late', async () => {
  jest.useFakeTimers();
  const done = () => Promise.resolve();
  const held = new HeldSessions({
    completion: { heartbeat: done, complete: done, reportCancellation: done, fail: done },
  });
  const polledAtMs: number[] = [];
  const offByShare: number[] = [];
  const beganAtMs = performance.now();
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
      schedule: new PollSchedule(input, INFO, { random: () => 0.5 }),
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
