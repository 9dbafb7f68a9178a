/** References of payments: any text (contract A38), compared exactly as it is written. */

/** True if two references are the same. Spaces count, since two references may differ in nothing else. */
export const isSameReference = (one: string, other: string): boolean => one === other;

/** What is left of a reference in a file that pads or trims its cells. */
export const trimmedReference = (reference: string): string => reference.trim();

/** True if two references differ in nothing but white space at their ends: a file may write one for the other. */
export const isLikeReference = (one: string, other: string): boolean =>
  trimmedReference(one) === trimmedReference(other);
