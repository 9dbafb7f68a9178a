/** The length of a text in Unicode code points, as the contract counts it (contract A18). */
export const codePoints = (text: string): number => Array.from(text).length;

/** Whether a text holds no lone surrogate: such a half of a character cannot be sent, and would become another. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

export const HALF_A_CHARACTER = 'must not contain a lone surrogate (half a character)';

/** The longest reference of guaranteed EFT and e-Transfer (contract A38). The engine refuses to index a much longer one. */
const MAX_REFERENCE_LENGTH = 100;

/** What is wrong with a reference, whatever the kind of session; `undefined` when nothing is. */
export function referenceFault(reference: string): string | undefined {
  const length = codePoints(reference);
  if (length < 1 || length > MAX_REFERENCE_LENGTH)
    return `must be text of 1 to ${MAX_REFERENCE_LENGTH} characters`;
  return isWellFormed(reference) ? undefined : HALF_A_CHARACTER;
}
