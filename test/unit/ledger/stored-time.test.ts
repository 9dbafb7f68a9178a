import { expect, test } from '@jest/globals';
import { isoOf } from '../../../ledger/postgres/database';

test.each([
  ['2026-03-01 12:00:00+00', '2026-03-01T12:00:00.000Z'],
  ['2026-03-01 12:00:00.1+00', '2026-03-01T12:00:00.100Z'],
  ['2026-03-01 12:00:00.123+00', '2026-03-01T12:00:00.123Z'],
  ['9999-12-31 23:59:59.999+00', '9999-12-31T23:59:59.999Z'],
])('a time in PostgreSQL’s format is read: %s', (stored, iso) => {
  expect(isoOf(stored)).toBe(iso);
});

test.each([
  ['infinity', 'infinity'],
  ['-infinity', '-infinity'],
  ['microseconds', '2026-03-01 12:00:00.123456+00'],
  ['a year that JavaScript does not know', '294276-12-31 23:59:59+00'],
  ['a year of five digits', '12026-03-01 12:00:00+00'],
  ['a year before Christ', '0044-03-15 12:00:00+00 BC'],
  ['another time zone', '2026-03-01 12:00:00+02'],
])('a time that the ledger cannot have written is refused: %s', (_what, stored) => {
  expect(isoOf(stored)).toBeUndefined();
});
