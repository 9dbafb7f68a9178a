/**
 * Digits after the point in the shortest decimal text of a number, so that 0.07, 1.15 and 1e-2 have two and
 * 0.005 has three: a binary remainder would misjudge them (contract A13).
 */
export function decimalPlaces(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).toLowerCase().split('e');
  const fraction = mantissa.split('.')[1]?.length ?? 0;
  return Math.max(0, fraction - Number(exponent));
}

/** The smallest amount of a session, in dollars (contract A13). */
export const MINIMUM_AMOUNT = 0.01;

/** The largest amount of a session, in dollars: above it, two amounts a cent apart are one number. */
export const MAXIMUM_AMOUNT = 2 ** 46;
