/**
 * Counts the digits after the decimal point: 0.07, 1.15 and 1e-2 have two, 0.005 has three (contract A13).
 * Reads the number's shortest decimal text, because a remainder of binary numbers is inexact.
 */
export function decimalPlaces(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).toLowerCase().split('e');
  const fraction = mantissa.split('.')[1]?.length ?? 0;
  return Math.max(0, fraction - Number(exponent));
}

/**
 * Converts dollars to cents. Returns `undefined` if the number has parts of a cent. A sum of doubles such as 0.1 + 0.2 is
 * slightly inexact, and becomes 30 cents.
 */
export function centsOf(dollars: number): number | undefined {
  const nearest = dollars.toFixed(2);
  const isMeant = Math.abs(dollars - Number(nearest)) <= Math.max(NOISE, Math.abs(dollars) * Number.EPSILON);
  // Removes the point from the text, because a multiplication by 100 could round a large number.
  return isMeant ? Number(nearest.replace('.', '')) : undefined;
}

/** In dollars. Sums of doubles are usually inexact by less than this. No real amount is this small. */
const NOISE = 1e-6;

/**
 * Rounds off the inexactness of a sum of doubles: 0.1 + 0.2 becomes 0.3. Returns a number with parts of a cent unchanged, so that
 * it equals no valid amount.
 */
export function toDollars(dollars: number): number {
  const cents = centsOf(dollars);
  return cents === undefined ? dollars : cents / 100;
}

/** The smallest amount of a session, in dollars (contract A13). */
export const MINIMUM_AMOUNT = 0.01;

/** The largest amount of a session, in dollars. Above it, two amounts that differ by a cent may be the same double. */
export const MAXIMUM_AMOUNT = 2 ** 46;
