import { expect, test } from '@jest/globals';
import { firstTimelyDay, isBusinessDay } from '../../../ledger/sessions/business-days';

function holidaysOf(year: number): readonly string[] {
  const days = Array.from({ length: 366 }, (_day, place) => new Date(Date.UTC(year, 0, 1 + place)));
  return days
    .filter((day) => day.getUTCFullYear() === year && day.getUTCDay() % 6 !== 0)
    .map((day) => day.toISOString().slice(0, 10))
    .filter((day) => !isBusinessDay(day));
}

test('the bank holidays of Canada are not business days; a holiday on a weekend moves to the next business day', () => {
  expect(holidaysOf(2026)).toEqual([
    '2026-01-01',
    '2026-02-16',
    '2026-04-03',
    '2026-05-18',
    '2026-07-01',
    '2026-08-03',
    '2026-09-07',
    '2026-09-30',
    '2026-10-12',
    '2026-11-11',
    '2026-12-25',
    '2026-12-28',
  ]);
  // New Year's Day, the day of Truth and Reconciliation, Remembrance Day and Christmas are on weekends.
  expect(holidaysOf(2023)).toEqual(
    expect.arrayContaining([
      '2023-01-02',
      '2023-07-03',
      '2023-10-02',
      '2023-11-13',
      '2023-12-25',
      '2023-12-26',
    ]),
  );
  expect(holidaysOf(2021).slice(-2)).toEqual(['2021-12-27', '2021-12-28']);
  expect(isBusinessDay('2020-09-30')).toBe(true);
  expect([2019, 2024, 2025, 2030, 2038].map((year) => holidaysOf(year)[2])).toEqual([
    '2019-04-19',
    '2024-03-29',
    '2025-04-18',
    '2030-04-19',
    '2038-04-23',
  ]);
});

test('a payment is late once the given number of whole business days has passed after the day of the payment', () => {
  // On Saturday, 9 May, five business days have passed after Sunday, 3 May, but only four after Monday, 4 May.
  expect(firstTimelyDay('2026-05-09', 5)).toBe('2026-05-04');
  expect(firstTimelyDay('2026-05-08', 5)).toBe('2026-05-01');
  // Good Friday does not count.
  expect(firstTimelyDay('2026-04-07', 1)).toBe('2026-04-06');
  expect(firstTimelyDay('2026-04-06', 1)).toBe('2026-04-02');
  expect(firstTimelyDay('2026-01-05', 2)).toBe('2025-12-31');
});
