import { describe, expect, test } from '@jest/globals';
import {
  equalFixedInterval,
  expectedFor,
  expectedForAll,
  fixed,
  pollTimes,
} from '../../../bench/cadence/model';
import { FOLLOWED_FOR_MS, REFRESH_DELAY_MS } from '../../../bench/cadence/payors';
import { plot } from '../../../bench/cadence/plot';

const payor = { name: '10 min', medianMs: 600_000, spread: 0.5, weight: 1, refreshShare: 0 };
const never = { name: 'never', weight: 1, refreshShare: 0 };

// A cadence is the rule for the intervals between polls. These functions compute what a cadence costs.
describe('the expected delay until a change is noticed', () => {
  test('is half the interval if the interval is fixed', () => {
    const { delayMs } = expectedForAll([payor], fixed(10_000));
    expect(delayMs).toBeGreaterThan(4_700);
    expect(delayMs).toBeLessThan(5_300);
  });

  test('is short for a payor whose page asks for a refresh', () => {
    const { delayMs } = expectedForAll([{ ...payor, refreshShare: 1 }], fixed(10_000));
    expect(delayMs).toBeLessThanOrEqual(REFRESH_DELAY_MS);
    expect(delayMs).toBeGreaterThan(REFRESH_DELAY_MS * 0.9);
  });

  test('is the mean of payors who finish; the expected requests are the mean of all payors', () => {
    const alone = expectedForAll([payor], fixed(10_000));
    const both = expectedForAll([payor, never], fixed(10_000));
    expect(both.delayMs).toBeCloseTo(alone.delayMs);
    expect(both.requests).toBeCloseTo((alone.requests + FOLLOWED_FOR_MS / 10_000) / 2);
  });
});

describe('hints', () => {
  const hints = { lostShare: 0.01, perSession: 2, delayMs: 1_000 };

  test('shorten the delay to the delay of a hint, except for lost hints', () => {
    const without = expectedForAll([payor], fixed(3_600_000));
    const { delayMs } = expectedForAll([payor], fixed(3_600_000), hints);
    expect(delayMs).toBeCloseTo(0.99 * hints.delayMs + 0.01 * without.delayMs);
  });

  test('cost one request for each hint that arrives, because a worker polls after a hint', () => {
    const without = expectedForAll([payor], fixed(10_000));
    const { requests } = expectedForAll([payor], fixed(10_000), hints);
    expect(requests - without.requests).toBeCloseTo(2 * 0.99);
  });

  test('that are all lost change nothing', () => {
    const lost = expectedForAll([payor], fixed(10_000), { ...hints, lostShare: 1 });
    expect(lost).toEqual(expectedForAll([payor], fixed(10_000)));
  });
});

test('a payor who finishes costs the polls until then, and a payor who never finishes costs all polls', () => {
  const polls = pollTimes(fixed(60_000));
  expect(expectedFor({ ...payor, spread: 0 }, polls).requests).toBeCloseTo(10);
  expect(expectedFor(never, polls)).toEqual({ requests: FOLLOWED_FOR_MS / 60_000 });
});

test('a cadence computes each interval from the time since the session was opened', () => {
  expect(pollTimes((sinceMs) => 1_000 + sinceMs).slice(0, 4)).toEqual([1_000, 3_000, 7_000, 15_000]);
});

test('equalFixedInterval finds the fixed interval with a given expected delay', () => {
  const { delayMs } = expectedForAll([payor], fixed(10_000));
  const intervalMs = equalFixedInterval([payor], delayMs);
  expect(intervalMs).toBeGreaterThan(9_500);
  expect(intervalMs).toBeLessThan(10_500);
});

test('a plot keeps its lines within the panel', () => {
  const points = [
    [1, 0.001],
    [1e12, 1e12],
  ] as const;
  const svg = plot([
    {
      title: 'delay',
      ticks: [
        [1, '1 s'],
        [10, '10 s'],
      ],
      lines: [{ label: 'a', colour: 'red', points }],
    },
  ]);
  expect(svg).toContain('points="52,294 472,34"');
});
