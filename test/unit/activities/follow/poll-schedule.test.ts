import { describe, expect, test } from '@jest/globals';
import type { FollowSessionInput, PollResult } from '../../../../src/protocol/activities';
import { PollSchedule } from '../../../../activities/follow-session';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const INPUT: FollowSessionInput = {
  account: 'default',
  sessionId: '11111111-2222-4333-8444-555555555555',
  known: { kind: 'EFT', furthest: 0, status: 'Initiated', code: 'EFT0101' },
  cadence: { fastestMs: 3 * SECOND, slowestMs: 60 * MINUTE, steadyMs: 5 * MINUTE },
  sinceChangeMs: 0,
  forMs: 60 * MINUTE,
  heldUpToMs: 20 * SECOND,
};

const BEGAN_AT = 1_000_000;

/** Returns the schedule of an attempt that begins `elapsedMs` after the activity was scheduled. */
function schedule(
  input: Partial<FollowSessionInput> = {},
  { attempt = 1, elapsedMs = 0 } = {},
): PollSchedule {
  const info = { attempt, scheduledTimestampMs: BEGAN_AT, currentAttemptScheduledTimestampMs: BEGAN_AT };
  return new PollSchedule({ ...INPUT, ...input }, info, {
    now: () => BEGAN_AT + elapsedMs,
    random: () => 0.5,
  });
}

const seen = (status: string, code?: string): PollResult => ({
  outcome: 'seen',
  snapshot: { status, ...(code !== undefined && { code }) },
});
const NOTHING_NEW = seen('Initiated', 'EFT0101');

describe('the first poll of an attempt', () => {
  test('comes after an interval in the activity’s first attempt, because the workflow has just seen the state', () => {
    expect(schedule().firstWait()).toEqual({ waitMs: 3 * SECOND, isExact: false });
  });

  test.each([
    ['is the activity’s second', schedule({}, { attempt: 2 })],
    ['must poll at once', schedule({ atOnce: true })],
  ])('comes at once in an attempt that %s', (_, one) => {
    expect(one.firstWait()).toEqual({ waitMs: 0, isExact: true });
  });
});

describe('the detection delay that is reported for a change', () => {
  /** Returns the delays that are reported if the second poll shows a change. */
  function reported({ attempt = 1, secondAtMs = 7 * SECOND } = {}): number[] {
    const delays: number[] = [];
    let elapsedMs = 0;
    const info = { attempt, scheduledTimestampMs: BEGAN_AT, currentAttemptScheduledTimestampMs: BEGAN_AT };
    const now = () => BEGAN_AT + elapsedMs;
    const one = new PollSchedule(INPUT, info, { now, onChange: (sincePollMs) => delays.push(sincePollMs) });
    elapsedMs = 3 * SECOND;
    if (attempt === 1) one.after(NOTHING_NEW);
    elapsedMs = secondAtMs;
    one.after(seen('Completed', 'EFT0301'));
    return delays;
  }

  test('is the time since the previous poll', () => {
    expect(reported()).toEqual([4 * SECOND]);
  });

  test('is the time since the attempt began, for the first poll of a second attempt', () => {
    expect(reported({ attempt: 2 })).toEqual([7 * SECOND]);
  });
});

describe('a poll of a followed session', () => {
  test('that shows no change is followed by another poll after an interval', () => {
    expect(schedule().after(NOTHING_NEW)).toEqual({ waitMs: 3 * SECOND, isExact: false });
    expect(schedule({}, { elapsedMs: 11 * MINUTE }).after(NOTHING_NEW)).toEqual({
      waitMs: MINUTE,
      isExact: false,
    });
  });

  test.each([
    ['a new status', seen('Completed', 'EFT0301')],
    ['a new code', seen('Initiated', 'EFT0201')],
    ['a failure', { outcome: 'failed', failure: { code: 'SERVICE_UNREACHABLE', message: '' } }],
  ] as const)('that shows %s ends the activity', (_, result) => {
    expect(schedule().after(result)).toMatchObject({ result });
  });

  test('that shows a change reports the time since the previous poll', () => {
    const next = schedule({}, { elapsedMs: 4 * SECOND }).after(seen('Completed', 'EFT0301'));
    expect(next).toMatchObject({ result: { sinceLookMs: 4 * SECOND } });
    expect(schedule({ atOnce: true }).after(NOTHING_NEW)).not.toHaveProperty('result.sinceLookMs');
  });

  test('ends the activity even without a change, if the workflow asked for a poll at once', () => {
    expect(schedule({ atOnce: true }).after(NOTHING_NEW)).toMatchObject({ result: NOTHING_NEW });
  });

  test('comes just after the session’s deadline if the interval would end later', () => {
    expect(schedule({ forMs: MINUTE }, { elapsedMs: MINUTE - SECOND }).after(NOTHING_NEW)).toEqual({
      waitMs: SECOND + 1,
      isExact: true,
    });
  });

  test('is urgent, before other calls, once the session’s deadline has passed', () => {
    const urgentAfterMs = (elapsedMs: number) =>
      schedule({ forMs: MINUTE }, { elapsedMs }).nextTurn().urgentAfterMs;
    expect(urgentAfterMs(MINUTE - SECOND)).toBe(SECOND);
    expect(urgentAfterMs(MINUTE + SECOND)).toBe(0);
  });

  /** Returns the next step after a poll that begins at `beganMs` and ends at `endedMs` after the activity was scheduled. */
  function polledFrom(beganMs: number, endedMs: number) {
    let elapsedMs = 0;
    const info = { attempt: 1, scheduledTimestampMs: BEGAN_AT, currentAttemptScheduledTimestampMs: BEGAN_AT };
    const one = new PollSchedule({ ...INPUT, forMs: MINUTE }, info, { now: () => BEGAN_AT + elapsedMs });
    elapsedMs = beganMs;
    one.nextTurn().onTurn?.();
    elapsedMs = endedMs;
    return one.after(NOTHING_NEW);
  }

  test('is the last one if it begins after the deadline, and reports when it began', () => {
    expect(polledFrom(MINUTE, MINUTE + SECOND)).toEqual({
      result: { ...NOTHING_NEW, lookedAfterMs: MINUTE },
    });
  });

  test('that begins before the deadline and ends afterwards is followed by another poll at once', () => {
    expect(polledFrom(MINUTE - 1, MINUTE + SECOND)).toEqual({ waitMs: 0, isExact: true });
  });
});

describe('the growth of the interval between polls', () => {
  test('counts the time of earlier attempts, by the Temporal server’s clock', () => {
    const info = {
      attempt: 2,
      scheduledTimestampMs: BEGAN_AT,
      currentAttemptScheduledTimestampMs: BEGAN_AT + 11 * MINUTE,
    };
    const next = new PollSchedule(INPUT, info, { random: () => 0.5 }).after(NOTHING_NEW);
    expect('waitMs' in next && next.waitMs / MINUTE).toBeCloseTo(1, 1);
  });
});

test('a session is not held if the interval between its polls is longer than the limit', () => {
  expect(schedule({}, { elapsedMs: 7 * MINUTE }).outgrows(20 * SECOND)).toBe(false);
  expect(schedule({}, { elapsedMs: 8 * MINUTE }).outgrows(20 * SECOND)).toBe(true);
});
