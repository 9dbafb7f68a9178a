import { expect, test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { HeldSessions } from '../../../../activities';
import { Course } from '../../../../activities/follow/course';
import type { FollowSessionInput } from '../../../../src/protocol/activities/activities';
import { SESSION_ID } from '../../../support/service/local-service';

const HOUR = 60 * 60_000;

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
    course: new Course(INPUT, info),
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
