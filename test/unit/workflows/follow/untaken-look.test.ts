import { describe, expect, test } from '@jest/globals';
import { ActivityFailure, RetryState, TimeoutFailure, TimeoutType } from '@temporalio/common';
import { endOf } from '../../../../workflows/follow/follower';

const untakenBy = (timeout: TimeoutType) =>
  new ActivityFailure(
    'activity timed out',
    'followSession',
    '7',
    RetryState.TIMEOUT,
    undefined,
    new TimeoutFailure('nobody took it', undefined, timeout),
  );

describe.each([
  ['', TimeoutType.SCHEDULE_TO_CLOSE],
  [' even once', TimeoutType.SCHEDULE_TO_START],
])('a poll after the deadline that no worker took%s', (_once, timeout) => {
  const untaken = untakenBy(timeout);

  test('is followed by another one: a worker may be able to poll by then', () => {
    expect(endOf(untaken, false)).toEqual({ outcome: 'interrupted' });
  });

  test('has failed where it was asked for when the end was no longer put off', () => {
    expect(endOf(untaken, true)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'WORKER_UNAVAILABLE' },
    });
  });
});
