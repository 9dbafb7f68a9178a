import { describe, expect, test } from '@jest/globals';
import { InvalidArgumentError } from 'commander';
import { day, metadataPair, pastTime, soughtMetadata } from '../../../cli/shared/parse-arguments';

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

describe('an option that takes metadata', () => {
  test('reads a name and a value, and may be used several times', () => {
    const first = metadataPair('order=7=7 é');
    expect(metadataPair('customer=cus_42', first)).toEqual({ order: '7=7 é', customer: 'cus_42' });
    expect(metadataPair('order=')).toEqual({ order: '' });
  });

  test.each(['customer', '=cus_42', '7up=1', 'a b=1', `order=${'x'.repeat(501)}`])('refuses %j', (text) => {
    expect(() => metadataPair(text)).toThrow(InvalidArgumentError);
  });

  test('as a filter also takes a customer, and refuses a value that is not searchable', () => {
    expect(soughtMetadata({})).toBeUndefined();
    expect(soughtMetadata({ customer: 'cus_42', metadata: { order: '7' } })).toEqual({
      customer: 'cus_42',
      order: '7',
    });
    expect(() => soughtMetadata({ customer: "O'Hara" })).toThrow(
      /^No list finds it: metadata\.customer is searchable/,
    );
  });

  test('as a filter refuses two different customers', () => {
    expect(soughtMetadata({ customer: 'a', metadata: { customer: 'a' } })).toEqual({ customer: 'a' });
    expect(() => soughtMetadata({ customer: 'a', metadata: { customer: 'b' } })).toThrow(
      InvalidArgumentError,
    );
  });
});
