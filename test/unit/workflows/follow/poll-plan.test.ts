import { describe, expect, test } from '@jest/globals';
import type { CallFailure } from '../../../../src/errors/failures';
import {
  afterFailure,
  failureOf,
  nextRefreshAtMs,
  NO_TROUBLE,
  planOf,
} from '../../../../workflows/follow/poll-plan';
import { newRecord, type SessionRecord } from '../../../../workflows/record/session-record';
import { Refreshes } from '../../../../workflows/shared-requests';
import { eft } from '../../../support/requests';
import { resolvePolicy } from '../../../../src/protocol/policy';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const policy = resolvePolicy({ deadline: '1h' }, eft());

const session = (record: Partial<SessionRecord> = {}) => ({
  record: { ...newRecord(NOW, { kind: 'EFT' }), sessionId: 'one', status: 'Initiated', ...record },
  policy,
});
const validated = session({
  status: 'Completed',
  code: 'EFT0302',
  furthest: 1,
  validatedAtMs: NOW,
});

const failure = (code: CallFailure['code'], retryAfterMs?: number): CallFailure => ({
  code,
  message: 'It failed.',
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

const at = (sinceStartMs: number) => ({ nowMs: NOW + sinceStartMs, random: 0.5 });

describe('a failed poll', () => {
  test('is repeated after a wait that grows with each failure', () => {
    let trouble = NO_TROUBLE;
    const waits = [1, 2, 3].map(() => {
      trouble = afterFailure(session(), trouble, failure('SERVICE_FAILED'), at(0));
      return (trouble.dueAtMs - NOW) / SECOND;
    });
    expect(waits).toEqual([6, 12, 24]);
  });

  test('is repeated at the deadline at the latest', () => {
    const { dueAtMs } = afterFailure(session(), NO_TROUBLE, failure('SERVICE_FAILED'), at(HOUR - SECOND));
    expect(dueAtMs).toBe(NOW + HOUR);
  });

  test('is repeated soon after the deadline, but not before the service allows it', () => {
    const late = at(HOUR + SECOND);
    const soon = afterFailure(session(), NO_TROUBLE, failure('SERVICE_FAILED'), late);
    expect(soon.dueAtMs - late.nowMs).toBe(SECOND);
    const delayed = afterFailure(session(), NO_TROUBLE, failure('SERVICE_FAILED', 30 * SECOND), late);
    expect(delayed.dueAtMs - late.nowMs).toBe(30 * SECOND);
  });

  test('does not count as a failure if the account’s calls were paused, except while a signature is awaited', () => {
    const paused = failure('SERVICE_PAUSED', 5 * SECOND);
    expect(afterFailure(session(), NO_TROUBLE, paused, at(0))).toMatchObject({ failures: 0, isPaused: true });
    expect(afterFailure(validated, NO_TROUBLE, paused, at(0))).toMatchObject({ failures: 1, isPaused: true });
  });

  test('is repeated soon, by another worker, if a worker’s credentials were rejected', () => {
    const rejected = failure('SERVICE_CREDENTIALS_REJECTED', HOUR);
    const { dueAtMs, notBeforeMs } = afterFailure(session(), NO_TROUBLE, rejected, at(0));
    expect([dueAtMs - NOW, notBeforeMs - NOW]).toEqual([0.5 * SECOND, 0]);
  });
});

describe('an answer with an earlier state than the known state', () => {
  const snapshot = { status: 'Initiated', code: 'EFT0101' };
  const end = { outcome: 'seen', snapshot } as const;

  test('is accepted before the deadline', () => {
    expect(failureOf(validated, end, NOW)).toBeUndefined();
  });

  test('counts as a failed poll after the deadline', () => {
    const after = NOW + policy.padSignatureDeadlineMs;
    expect(failureOf(validated, end, after)).toMatchObject({ code: 'SERVICE_UNREADABLE' });
  });
});

describe('the next poll for a refresh', () => {
  const refreshes = new Refreshes();

  test('does not come if no refresh is requested', () => {
    expect(nextRefreshAtMs({ refreshes, policy }, NO_TROUBLE)).toBe(Infinity);
  });

  test('waits for the service’s Retry-After, but not for a pause of the account’s calls', () => {
    refreshes.ask();
    const delayed = { ...NO_TROUBLE, notBeforeMs: NOW + HOUR };
    expect(nextRefreshAtMs({ refreshes, policy }, delayed)).toBe(NOW + HOUR);
    expect(nextRefreshAtMs({ refreshes, policy }, { ...delayed, isPaused: true })).toBeLessThan(NOW);
  });
});

describe('the plan of the next polls', () => {
  test('uses the usual intervals until the deadline', () => {
    const plan = planOf(session(), NO_TROUBLE, NOW + 60 * SECOND);
    expect(plan).toMatchObject({ sinceChangeMs: 60 * SECOND, forMs: HOUR - 60 * SECOND, atOnce: false });
    expect(plan).not.toHaveProperty('lastLookForMs');
  });

  test('polls at once after a failed poll', () => {
    expect(planOf(session(), { ...NO_TROUBLE, dueAtMs: NOW }, NOW)).toMatchObject({ atOnce: true });
  });

  test('polls at once after the deadline, and tries again for the policy’s unverifiedAfter', () => {
    const plan = planOf(session(), NO_TROUBLE, NOW + HOUR);
    expect(plan).toMatchObject({ forMs: 0, atOnce: true, lastLookForMs: policy.unverifiedAfterMs });
  });
});
