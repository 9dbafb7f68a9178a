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

/** The schedule of an attempt that began when this much had passed since the activity was scheduled. */
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

describe('the first poll', () => {
  test('comes after an interval: the caller has just seen the state', () => {
    expect(schedule().firstWait()).toEqual({ waitMs: 3 * SECOND, isExact: false });
  });

  test.each([
    ['of an attempt that takes over', schedule({}, { attempt: 2 })],
    ['that is due already', schedule({ atOnce: true })],
  ])('%s comes at once', (_, one) => {
    expect(one.firstWait()).toEqual({ waitMs: 0, isExact: true });
  });
});

describe('changes', () => {
  /** Returns the reported delays of a change that comes with the second poll. */
  function heard({ attempt = 1, secondAtMs = 7 * SECOND } = {}): number[] {
    const delays: number[] = [];
    let elapsedMs = 0;
    const info = { attempt, scheduledTimestampMs: BEGAN_AT, currentAttemptScheduledTimestampMs: BEGAN_AT };
    const now = () => BEGAN_AT + elapsedMs;
    const one = new PollSchedule(INPUT, info, { now, onChange: (sinceLookMs) => delays.push(sinceLookMs) });
    elapsedMs = 3 * SECOND;
    if (attempt === 1) one.after(NOTHING_NEW);
    elapsedMs = secondAtMs;
    one.after(seen('Completed', 'EFT0301'));
    return delays;
  }

  test('are late by at most the time since the poll before', () => {
    expect(heard()).toEqual([4 * SECOND]);
  });

  test('of an attempt that follows another are late by at least the time since', () => {
    expect(heard({ attempt: 2 })).toEqual([7 * SECOND]);
  });
});

describe('a poll', () => {
  test('without a change is followed by another, an interval later', () => {
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
  ] as const)('with %s ends the activity', (_, result) => {
    expect(schedule().after(result)).toMatchObject({ result });
  });

  test('with a change reports the time since the previous poll, which Temporal’s index keeps of an end', () => {
    const next = schedule({}, { elapsedMs: 4 * SECOND }).after(seen('Completed', 'EFT0301'));
    expect(next).toMatchObject({ result: { sinceLookMs: 4 * SECOND } });
    expect(schedule({ atOnce: true }).after(NOTHING_NEW)).not.toHaveProperty('result.sinceLookMs');
  });

  test('ends the activity whatever it says where any answer is to be reported', () => {
    expect(schedule({ atOnce: true }).after(NOTHING_NEW)).toMatchObject({ result: NOTHING_NEW });
  });

  test('comes when the time is up, and not a tick before', () => {
    expect(schedule({ forMs: MINUTE }, { elapsedMs: MINUTE - SECOND }).after(NOTHING_NEW)).toEqual({
      waitMs: SECOND + 1,
      isExact: true,
    });
  });

  test('goes before others when the time is up', () => {
    const goesFirstAfterMs = (elapsedMs: number) =>
      schedule({ forMs: MINUTE }, { elapsedMs }).nextTurn().urgentAfterMs;
    expect(goesFirstAfterMs(MINUTE - SECOND)).toBe(SECOND);
    expect(goesFirstAfterMs(MINUTE + SECOND)).toBe(0);
  });

  /** A poll that has its turn and ends so long after the activity was scheduled. */
  function polledFrom(beganMs: number, endedMs: number) {
    let elapsedMs = 0;
    const info = { attempt: 1, scheduledTimestampMs: BEGAN_AT, currentAttemptScheduledTimestampMs: BEGAN_AT };
    const one = new PollSchedule({ ...INPUT, forMs: MINUTE }, info, { now: () => BEGAN_AT + elapsedMs });
    elapsedMs = beganMs;
    one.nextTurn().onTurn?.();
    elapsedMs = endedMs;
    return one.after(NOTHING_NEW);
  }

  test('is the last if it had its turn when the time was up, and reports when that was', () => {
    expect(polledFrom(MINUTE, MINUTE + SECOND)).toEqual({
      result: { ...NOTHING_NEW, lookedAfterMs: MINUTE },
    });
  });

  test('that had its turn before says nothing of the time after: another follows', () => {
    expect(polledFrom(MINUTE - 1, MINUTE + SECOND)).toEqual({ waitMs: 0, isExact: true });
  });
});

describe('the time that counts', () => {
  test('goes on from one attempt to the next, by the server’s clock', () => {
    const info = {
      attempt: 2,
      scheduledTimestampMs: BEGAN_AT,
      currentAttemptScheduledTimestampMs: BEGAN_AT + 11 * MINUTE,
    };
    const next = new PollSchedule(INPUT, info, { random: () => 0.5 }).after(NOTHING_NEW);
    expect('waitMs' in next && next.waitMs / MINUTE).toBeCloseTo(1, 1);
  });
});

test('a session is held until its polls are further apart than its guard allows', () => {
  expect(schedule({}, { elapsedMs: 7 * MINUTE }).outgrows(20 * SECOND)).toBe(false);
  expect(schedule({}, { elapsedMs: 8 * MINUTE }).outgrows(20 * SECOND)).toBe(true);
});
