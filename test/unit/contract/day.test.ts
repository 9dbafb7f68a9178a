import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isDay, readTime } from '../../../src/contract/values/day';

const INVALID_DAYS = [
  '2026-02-29',
  '2026-02-30',
  '2026-09-31',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '2100-02-29',
  '0000-01-01',
];

describe('a day', () => {
  test.each(['2026-05-06', '2024-02-29', '2000-02-29', '0026-05-06', '9999-12-31'])('may be %s', (text) => {
    expect(isDay(text)).toBe(true);
  });

  test.each([
    ...INVALID_DAYS,
    '',
    '2026-5-6',
    '06/05/2026',
    '20260506',
    '2026-05-06T00:00:00Z',
    '+002026-05-06',
    ' 2026-05-06',
  ])('is not %j', (text) => {
    expect(isDay(text)).toBe(false);
  });
});

describe('a time', () => {
  test.each([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-05-06T14:00Z', '2026-05-06T14:00:00.000Z'],
    ['2026-05-06T14:00:00.123456Z', '2026-05-06T14:00:00.123Z'],
    ['2026-02-28T23:30:00-04:00', '2026-03-01T03:30:00.000Z'],
    ['2026-03-01T00:30:00+05:30', '2026-02-28T19:00:00.000Z'],
  ])('may be %s', (text, iso) => {
    expect(readTime(text)?.toISOString()).toBe(iso);
  });

  test.each([
    ...INVALID_DAYS.flatMap((day) => [
      day,
      `${day}T00:00:00Z`,
      `${day}T23:59:59-04:00`,
      `${day}T12:00:00.000+05:30`,
    ]),
    '2026-05-06T24:00:00Z',
    '2026-05-06T25:00:00Z',
    '2026-05-06T14:60:00Z',
    '2026-05-06T14:00:00',
    '2026-05-06T14:00:00+24:00',
    '2026-05-06 14:00:00Z',
    '2026-05-06T14Z',
    'T14:00:00Z',
    'yesterday',
    '',
  ])('is not %j', (text) => {
    expect(readTime(text)).toBeUndefined();
  });

  test('that toISOString() has written is read unchanged', () => {
    const noInvalidDate = true;
    const [min, max] = [new Date('0001-01-01'), new Date('9999-12-31')];
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate }), (time) => {
        expect(readTime(time.toISOString())).toEqual(time);
      }),
    );
  });
});
