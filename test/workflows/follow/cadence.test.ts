import { describe, expect, test } from '@jest/globals';
import { backoffMs, nextPoll, type PollSituation } from '../../../workflows/steps/cadence';
import { resolvePolicy } from '../../../workflows/policy';
import type { SessionPolicy } from '../../../src/protocol/policy';
import { eft } from '../../support/requests';

const policy = (given: SessionPolicy = {}) => resolvePolicy(given, eft());

const situation = (given: Partial<PollSituation> = {}): PollSituation => ({
  sinceChangeMs: 0,
  awaitingSignature: false,
  failures: 0,
  random: 0.5,
  ...given,
});

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('the cadence of polls', () => {
  test('is quick at first and slower the longer nothing changes, up to the slowest', () => {
    const waits = [0, MINUTE, 10 * MINUTE, HOUR, DAY].map(
      (sinceChangeMs) => nextPoll(situation({ sinceChangeMs }), policy()).afterMs,
    );
    expect(waits).toEqual([2 * SECOND, 3 * SECOND, 30 * SECOND, 3 * MINUTE, 5 * MINUTE]);
  });

  test('polls in bursts while polls are seconds apart, one by one later', () => {
    expect(nextPoll(situation(), policy()).forMs).toBe(20 * SECOND);
    expect(nextPoll(situation({ sinceChangeMs: HOUR }), policy()).forMs).toBe(0);
  });

  test('waits an eighth of the time so far while only the PAD signature is awaited: half a minute to a day', () => {
    const waits = [0, HOUR, DAY, 20 * DAY].map(
      (sinceChangeMs) => nextPoll(situation({ awaitingSignature: true, sinceChangeMs }), policy()).afterMs,
    );
    expect(waits).toEqual([30 * SECOND, 7.5 * MINUTE, 3 * HOUR, DAY]);
  });

  test('is as quick as the policy says while the PAD signature is awaited', () => {
    const late = situation({ awaitingSignature: true, sinceChangeMs: 20 * DAY });
    expect(nextPoll(late, policy({ slowestUnsignedPoll: '1h' })).afterMs).toBe(HOUR);
  });

  test('is never quicker than the policy says, also while the PAD signature is awaited', () => {
    const slow = policy({ fastestPoll: '6h', slowestPoll: '6h', slowestUnsignedPoll: '6h' });
    expect(nextPoll(situation(), slow).afterMs).toBe(6 * HOUR);
    expect(nextPoll(situation({ awaitingSignature: true }), slow).afterMs).toBe(6 * HOUR);
  });

  test('slows down while polls fail, without bursts', () => {
    const plans = [1, 2, 3, 50].map((failures) => nextPoll(situation({ failures }), policy()));
    expect(plans.map(({ afterMs }) => afterMs)).toEqual([4 * SECOND, 8 * SECOND, 16 * SECOND, 5 * MINUTE]);
    expect(plans.every(({ forMs }) => forMs === 0)).toBe(true);
  });

  test('repeats a failed poll within the hour while the PAD signature is awaited', () => {
    const late = (failures: number) =>
      nextPoll(situation({ awaitingSignature: true, sinceChangeMs: 20 * DAY, failures }), policy()).afterMs;
    expect([0, 1, 2, 3, 50].map(late)).toEqual([DAY, MINUTE, 2 * MINUTE, 4 * MINUTE, HOUR]);
    const slow = policy({ fastestPoll: '6h' });
    expect(nextPoll(situation({ awaitingSignature: true, failures: 1 }), slow).afterMs).toBe(6 * HOUR);
  });

  test('never polls before the time that the service asked for', () => {
    expect(nextPoll(situation({ failures: 1, retryAfterMs: 10 * MINUTE }), policy()).afterMs).toBe(
      10 * MINUTE,
    );
  });

  test('is jittered by a tenth either way', () => {
    expect(nextPoll(situation({ random: 0 }), policy()).afterMs).toBe(1_800);
    expect(nextPoll(situation({ random: 1 }), policy()).afterMs).toBe(2_200);
  });

  test('never polls more often than every 50 ms, whatever the policy says', () => {
    expect(nextPoll(situation(), policy({ fastestPoll: '500ms' })).afterMs).toBe(500);
    expect(nextPoll(situation(), policy({ fastestPoll: 0 })).afterMs).toBe(50);
    expect(nextPoll(situation({ sinceChangeMs: HOUR }), policy({ slowestPoll: '10s' })).afterMs).toBe(
      10 * SECOND,
    );
  });
});

describe('the back-off of a call that failed', () => {
  test('doubles to five minutes and obeys Retry-After', () => {
    expect([1, 2, 3, 40].map((attempt) => backoffMs(attempt, 0.5))).toEqual([1_000, 2_000, 4_000, 300_000]);
    expect(backoffMs(1, 0.5, 30_000)).toBe(30_000);
  });
});

describe('a policy', () => {
  test('parks an unknown create by default only where the service itself mails the payor', () => {
    const mailed = {
      ...eft(),
      options: { ...eft().options, notificationPreferences: { sendNetworkLink: true } },
    };
    expect(resolvePolicy({}, mailed).onUnknownCreate).toBe('park');
    expect(resolvePolicy({}, eft()).onUnknownCreate).toBe('retry');
    expect(resolvePolicy({ onUnknownCreate: 'retry' }, mailed).onUnknownCreate).toBe('retry');
  });
});
