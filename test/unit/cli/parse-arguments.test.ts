import { describe, expect, test } from '@jest/globals';
import { InvalidArgumentError } from 'commander';
import { day, pastTime } from '../../../cli/shared/parse-arguments';

describe.each([
  ['a day', day],
  ['a time', pastTime],
])('an option that takes %s', (_what, read) => {
  test('reads a day as its first moment in UTC', () => {
    expect(read('2024-02-29')).toEqual(new Date('2024-02-29T00:00:00Z'));
  });

  test.each([
    '2026-02-29',
    '2026-02-30',
    '2026-09-31',
    '2026-06-31',
    '2026-13-01',
    '0000-01-01',
    '',
    'today',
  ])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(InvalidArgumentError);
  });
});

test.each([
  '2026-09-31T00:00:00Z',
  '2026-06-31T10:00:00-04:00',
  '2026-05-06T24:00:00Z',
  '2026-05-06T10:00:00',
  '2026',
  '-1h',
])('an option that takes a time refuses %j', (text) => {
  expect(() => pastTime(text)).toThrow(InvalidArgumentError);
});

test('an option that takes a time also takes an age', () => {
  const beforeMs = Date.now();
  const sinceMs = pastTime('90m').getTime() + 90 * 60_000;
  expect(sinceMs).toBeGreaterThanOrEqual(beforeMs);
  expect(sinceMs).toBeLessThanOrEqual(Date.now());
});
