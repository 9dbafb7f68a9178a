import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { centsOf, MAXIMUM_AMOUNT, toDollars } from '../../../src/contract/values/money';

describe('a number of dollars', () => {
  test.each([
    [0.1 + 0.2, 30],
    [1.1 * 3, 330],
    [100 * 1.15, 11_500],
    [19.99 + 10, 2_999],
    [4.35 * 100, 43_500],
    [5.05999999995, 506],
    [Array.from({ length: 10_000 }, () => 0.1).reduce((sum, one) => sum + one, 0), 100_000],
    [0, 0],
    [25, 2_500],
    [-25.1, -2_510],
    [MAXIMUM_AMOUNT, MAXIMUM_AMOUNT * 100],
    [MAXIMUM_AMOUNT - 0.01, MAXIMUM_AMOUNT * 100 - 1],
  ])('%d means %i cents', (dollars, cents) => {
    expect(centsOf(dollars)).toBe(cents);
    expect(toDollars(dollars)).toBe(cents / 100);
  });

  test.each([25.005, 25.001, 0.001, 0.005, 1.0049999, 25.00001, 1e-5, 8_388_608.005, NaN, Infinity])(
    '%d has no value in cents',
    (dollars) => {
      expect(centsOf(dollars)).toBeUndefined();
      expect(toDollars(dollars)).toBe(dollars);
    },
  );

  test('with at most two decimals means exactly its cents, up to the largest amount', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAXIMUM_AMOUNT * 100 }), (cents) => {
        expect(centsOf(cents / 100)).toBe(cents);
        expect(toDollars(cents / 100)).toBe(cents / 100);
      }),
    );
  });

  test('that is a sum of amounts means the sum of their cents', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1_000_00 }), { maxLength: 50 });
    fc.assert(
      fc.property(amounts, (all) => {
        const sum = all.reduce((before, cents) => before + cents / 100, 0);
        expect(centsOf(sum)).toBe(all.reduce((before, cents) => before + cents, 0));
      }),
    );
  });
});
