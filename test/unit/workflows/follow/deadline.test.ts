import { describe, expect, test } from '@jest/globals';
import { passDeadline } from '../../../../workflows/follow/deadline';
import { next } from '../../../../workflows/record/next';
import { newRecord, type Observation, type SessionRecord } from '../../../../workflows/record/session-record';
import { eft } from '../../../support/requests';
import { created, START } from '../../../support/workflows/record/observations';
import { resolvePolicy } from '../../../../src/protocol/policy';

const HOUR = 60 * 60_000;
const DEADLINE = START + 2 * HOUR;
const policy = resolvePolicy({ deadline: '2h', padSignatureDeadline: '2h', unverifiedAfter: '3h' }, eft());

/** Returns the observation of a poll that began at this time. */
const seen = (lookedAtMs: number, status: string, code: string): Observation => ({
  type: 'seen',
  snapshot: { status, code },
  source: 'poll',
  lookedAtMs,
});
const open = (lookedAtMs: number) => [created, seen(lookedAtMs, 'Initiated', 'EFT0101')];
const unsigned = (lookedAtMs: number) => [
  created,
  seen(START, 'Completed', 'EFT0302'),
  seen(lookedAtMs, 'Completed', 'EFT0302'),
];

/** Applies the deadline to a session with these observations. Returns its effects on the session. */
function passed(observations: readonly Observation[], polls: Parameters<typeof passDeadline>[1]) {
  const fresh: SessionRecord = newRecord(START, { kind: 'EFT' });
  const record = observations.reduce((before, each) => next(before, each, START), fresh);
  const done: string[] = [];
  const session = {
    record,
    policy,
    requestCancel: (by: string) => void done.push(`cancel by ${by}`),
    apply: (...applied: readonly Observation[]) => void done.push(...applied.map(({ type }) => type)),
  };
  const hasPassed = passDeadline(session, polls);
  expect(hasPassed).toBe(done.length > 0);
  return done;
}

const at = (nowMs: number, failedAtMs = 0) => ({ nowMs, failedAtMs });

describe('a session’s deadline', () => {
  test('changes nothing before it has passed', () => {
    expect(passed(open(DEADLINE - 1), at(DEADLINE - 1))).toEqual([]);
  });

  test('changes nothing before a successful poll that began after the deadline', () => {
    expect(passed(open(DEADLINE - 1), at(DEADLINE + HOUR))).toEqual([]);
    expect(passed(unsigned(DEADLINE - 1), at(DEADLINE + HOUR))).toEqual([]);
  });

  test('cancels an open session after a successful poll that began after the deadline', () => {
    expect(passed(open(DEADLINE), at(DEADLINE))).toEqual(['cancel by deadline']);
  });

  test('ends an unsigned session after a successful poll that began after the deadline', () => {
    expect(passed(unsigned(DEADLINE), at(DEADLINE))).toEqual(['signatureDeadlinePassed']);
  });

  test('ends an unsigned session as unverified if polls fail for the policy’s unverifiedAfter', () => {
    const due = DEADLINE + 3 * HOUR;
    expect(passed(unsigned(DEADLINE - 1), at(due, due - 1))).toEqual([]);
    expect(passed(unsigned(DEADLINE - 1), at(due, due))).toEqual(['endedUnverified']);
  });
});
