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
  ['finished', TimeoutType.SCHEDULE_TO_CLOSE],
  ['started', TimeoutType.SCHEDULE_TO_START],
])('a poll after the deadline that no worker has %s in time', (_what, timeout) => {
  const untaken = untakenBy(timeout);

  test('is followed by another poll', () => {
    expect(endOf(untaken, false)).toEqual({ outcome: 'interrupted' });
  });

  test('counts as failed if the session’s end cannot be postponed any more', () => {
    expect(endOf(untaken, true)).toMatchObject({
      outcome: 'failed',
      failure: { code: 'WORKER_UNAVAILABLE' },
    });
  });
});
