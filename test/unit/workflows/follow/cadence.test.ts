import { describe, expect, test } from '@jest/globals';
import { intervalMs, jittered, cadenceOf } from '../../../../src/protocol/cadence';
import { type SessionPolicy, resolvePolicy } from '../../../../src/protocol/policy';
import { backoffMs, claimBackoffMs } from '../../../../workflows/back-off';
import { eft } from '../../../support/requests';
import { failedPollMs, lastLookMs } from '../../../../workflows/follow/poll-plan';

const policy = (given: SessionPolicy = {}) => resolvePolicy(given, eft());

const withPayor = (given?: SessionPolicy) =>
  cadenceOf({ status: 'Initiated', code: 'EFT0101' }, policy(given));
const unsigned = (given?: SessionPolicy) =>
  cadenceOf({ status: 'Completed', code: 'EFT0302' }, policy(given));

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('the interval between polls', () => {
  test('is three seconds for five minutes, and then a sixth of the time since, up to the policy’s slowestPoll', () => {
    const waits = [0, 5 * MINUTE, 11 * MINUTE, 65 * MINUTE, DAY].map((since) =>
      intervalMs(withPayor(), since),
    );
    expect(waits).toEqual([3 * SECOND, 3 * SECOND, MINUTE, 10 * MINUTE, 30 * MINUTE]);
  });

  test('is a sixth of the elapsed time, from half a minute to a day, while the PAD signature is awaited', () => {
    const waits = [0, HOUR, DAY, 20 * DAY].map((since) => intervalMs(unsigned(), since));
    expect(waits).toEqual([30 * SECOND, 10 * MINUTE, 4 * HOUR, DAY]);
  });

  test('is at most the policy’s slowestUnsignedPoll while the PAD signature is awaited', () => {
    expect(intervalMs(unsigned({ slowestUnsignedPoll: '1h' }), 20 * DAY)).toBe(HOUR);
  });

  test('is at least the policy’s fastestPoll, even while the PAD signature is awaited', () => {
    const slow = { fastestPoll: '6h', slowestPoll: '6h', slowestUnsignedPoll: '6h' } as const;
    expect(intervalMs(withPayor(slow), 0)).toBe(6 * HOUR);
    expect(intervalMs(unsigned(slow), 0)).toBe(6 * HOUR);
  });

  test('is at least 50 ms, even if the policy’s fastestPoll is shorter', () => {
    expect(intervalMs(withPayor({ fastestPoll: '500ms' }), 0)).toBe(500);
    expect(intervalMs(withPayor({ fastestPoll: 0 }), 0)).toBe(50);
    expect(intervalMs(withPayor({ slowestPoll: '10s' }), HOUR)).toBe(10 * SECOND);
  });

  test('has a jitter of a tenth in both directions', () => {
    expect([0, 0.5, 1].map((random) => jittered(2_000, random))).toEqual([1_800, 2_000, 2_200]);
  });
});

describe('the wait after a failed poll', () => {
  const failed = (failures: number, sinceChangeMs = 0) => ({
    failures,
    sinceChangeMs,
    retryAfterMs: 0,
    random: 0.5,
  });

  test('doubles up to the slowest poll', () => {
    const waits = [1, 2, 3, 50].map((failures) => failedPollMs(withPayor(), failed(failures)));
    expect(waits).toEqual([6 * SECOND, 12 * SECOND, 24 * SECOND, 30 * MINUTE]);
  });

  test('is at least the interval between successful polls, but at most an hour', () => {
    expect(failedPollMs(withPayor(), failed(1, 65 * MINUTE))).toBe(10 * MINUTE);
    expect(failedPollMs(withPayor({ slowestPoll: '6h' }), failed(1, DAY))).toBe(HOUR);
  });

  test('begins with a minute while the PAD signature is awaited, even after weeks', () => {
    const late = (failures: number) => failedPollMs(unsigned(), failed(failures, 20 * DAY));
    expect([1, 2, 3, 50].map(late)).toEqual([MINUTE, 2 * MINUTE, 4 * MINUTE, HOUR]);
    expect(failedPollMs(unsigned({ fastestPoll: '6h' }), failed(1))).toBe(6 * HOUR);
  });

  test('is at least the time in the service’s Retry-After', () => {
    expect(failedPollMs(withPayor(), { ...failed(1), retryAfterMs: 10 * MINUTE })).toBe(10 * MINUTE);
  });
});

describe('the back-off of a failed call', () => {
  test('doubles up to five minutes and obeys Retry-After', () => {
    expect([1, 2, 3, 40].map((attempt) => backoffMs(attempt, 0.5))).toEqual([1_000, 2_000, 4_000, 300_000]);
    expect(backoffMs(1, 0.5, 30_000)).toBe(30_000);
  });

  test('doubles up to half a minute if the ledger is unavailable, with a jitter of up to half', () => {
    expect([1, 2, 3, 40].map((attempt) => claimBackoffMs(attempt, 1))).toEqual([1_000, 2_000, 4_000, 30_000]);
    expect(claimBackoffMs(40, 0)).toBe(15_000);
  });
});

describe('a session’s policy', () => {
  test('by default parks a session with an unknown create only if the payment service itself mails the payor', () => {
    const mailed = {
      ...eft(),
      options: { ...eft().options, notificationPreferences: { sendNetworkLink: true } },
    };
    expect(resolvePolicy({}, mailed).onUnknownCreate).toBe('park');
    expect(resolvePolicy({}, eft()).onUnknownCreate).toBe('retry');
    expect(resolvePolicy({ onUnknownCreate: 'retry' }, mailed).onUnknownCreate).toBe('retry');
  });
});

test('a poll that fails after the deadline is repeated after a sixth of the time since the deadline, from a second to an hour', () => {
  const waits = [0, 6_000, 60 * MINUTE, 7 * DAY].map((sinceMs) => lastLookMs(sinceMs, 0.5));
  expect(waits).toEqual([1_000, 1_000, 10 * MINUTE, HOUR]);
});
