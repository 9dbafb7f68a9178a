/**
 * Digits after the point in the shortest decimal text of a number, so that 0.07, 1.15 and 1e-2 have two and
 * 0.005 has three: a binary remainder would misjudge them (contract A13).
 */
export function decimalPlaces(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).toLowerCase().split('e');
  const fraction = mantissa.split('.')[1]?.length ?? 0;
  return Math.max(0, fraction - Number(exponent));
}

/**
 * The amount of cents that a number of dollars means; `undefined` where it has parts of a cent. A sum of doubles such as 0.1 + 0.2 is a
 * little next to it, and means it all the same.
 */
export function centsOf(dollars: number): number | undefined {
  const nearest = dollars.toFixed(2);
  const isMeant = Math.abs(dollars - Number(nearest)) <= Math.max(NOISE, Math.abs(dollars) * Number.EPSILON);
  // As text, since a product of large numbers would be rounded once more.
  return isMeant ? Number(nearest.replace('.', '')) : undefined;
}

/** A ten-thousandth of a cent, in dollars: sums of doubles stay below it, and no money is that small. */
const NOISE = 1e-6;

/** An amount as its cents have it; one that has parts of a cent stays as it is, and equals no amount of money. */
export function toDollars(dollars: number): number {
  const cents = centsOf(dollars);
  return cents === undefined ? dollars : cents / 100;
}

/** The smallest amount of a session, in dollars (contract A13). */
export const MINIMUM_AMOUNT = 0.01;

/** The largest amount of a session, in dollars: above it, two amounts a cent apart are one number. */
export const MAXIMUM_AMOUNT = 2 ** 46;
