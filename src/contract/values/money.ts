/**
 * Counts the digits after the point in the shortest decimal text of a number: 0.07, 1.15 and 1e-2 have two, 0.005 has three. A
 * binary remainder would misjudge them (contract A13).
 */
export function decimalPlaces(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).toLowerCase().split('e');
  const fraction = mantissa.split('.')[1]?.length ?? 0;
  return Math.max(0, fraction - Number(exponent));
}

/**
 * Returns the cents that a number of dollars means; `undefined` if it has parts of a cent. A sum of doubles such as 0.1 + 0.2 is
 * slightly off, and still means 30 cents.
 */
export function centsOf(dollars: number): number | undefined {
  const nearest = dollars.toFixed(2);
  const isMeant = Math.abs(dollars - Number(nearest)) <= Math.max(NOISE, Math.abs(dollars) * Number.EPSILON);
  // Text, because a product of large numbers would be rounded once more.
  return isMeant ? Number(nearest.replace('.', '')) : undefined;
}

/** In dollars. Usual sums of doubles are off by less, and no money is that small. */
const NOISE = 1e-6;

/**
 * Returns a number of dollars without the noise of a sum of doubles: 0.1 + 0.2 becomes 0.3. Returns a number with parts of a cent
 * unchanged: it equals no amount of money.
 */
export function toDollars(dollars: number): number {
  const cents = centsOf(dollars);
  return cents === undefined ? dollars : cents / 100;
}

/** The smallest amount of a session, in dollars (contract A13). */
export const MINIMUM_AMOUNT = 0.01;

/** The largest amount of a session, in dollars: above it, two amounts a cent apart may be one number. */
export const MAXIMUM_AMOUNT = 2 ** 46;
