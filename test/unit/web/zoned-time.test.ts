import { describe, expect, test } from '@jest/globals';
import { clockIn, dayAfter, momentIn } from '../../../src/web/shell/time';

const TORONTO = 'America/Toronto';

describe('a time in a time zone', () => {
  test.each([
    ['2026-03-02T04:30:00Z', TORONTO, '2026-03-01 23:30:00 EST'],
    ['2026-07-01T04:00:00Z', TORONTO, '2026-07-01 00:00:00 EDT'],
    ['2026-03-02T04:30:00Z', 'America/St_Johns', '2026-03-02 01:00:00 NST'],
    ['2026-03-02T04:30:00Z', 'UTC', '2026-03-02 04:30:00 UTC'],
  ])('is shown as local time: %s in %s is %s', (at, zone, shown) => {
    const clock = clockIn(new Date(at), zone);
    expect(`${clock.day} ${clock.time} ${clock.zone}`).toBe(shown);
  });

  test('has the zone’s name in French', () => {
    expect(clockIn(new Date('2026-03-02T04:30:00Z'), TORONTO, 'fr-CA').zone).toBe('HNE');
  });

  test.each([
    ['2026-03-01T23:30', TORONTO, '2026-03-02T04:30:00.000Z'],
    ['2026-07-01T00:00:00', TORONTO, '2026-07-01T04:00:00.000Z'],
    // On March 8, clocks change from 2 to 3 o'clock. On November 1, they change from 2 back to 1 o'clock.
    ['2026-03-08T02:30', TORONTO, '2026-03-08T07:30:00.000Z'],
    ['2026-03-08T03:00', TORONTO, '2026-03-08T07:00:00.000Z'],
    ['2026-11-01T01:30', TORONTO, '2026-11-01T05:30:00.000Z'],
    ['2026-11-01T02:00', TORONTO, '2026-11-01T07:00:00.000Z'],
    ['2026-03-02', 'America/St_Johns', '2026-03-02T03:30:00.000Z'],
    ['2026-03-02T00:00:00.250', 'Pacific/Kiritimati', '2026-03-01T10:00:00.250Z'],
    ['2026-03-02T00:00', 'UTC', '2026-03-02T00:00:00.000Z'],
    ['9999-12-31T23:59', 'UTC', '9999-12-31T23:59:00.000Z'],
    ['0001-01-01T00:00', 'UTC', '0001-01-01T00:00:00.000Z'],
  ])('is read from a local time: %s in %s is %s', (local, zone, at) => {
    const text = local.length === 10 ? `${local}T00:00` : local;
    expect(momentIn(text, zone).toISOString()).toBe(at);
  });

  test.each(['2026-02-30T12:00', 'yesterday', '', '2026-13-01T00:00'])('cannot be read from %j', (text) => {
    expect(momentIn(text, TORONTO).getTime()).toBeNaN();
  });

  test('has a day after it and a day before it, which may be in another month', () => {
    expect([dayAfter('2026-02-28', 1), dayAfter('2026-03-01', -1)]).toEqual(['2026-03-01', '2026-02-28']);
  });
});
