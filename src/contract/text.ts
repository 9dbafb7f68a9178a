/** The length of a text in Unicode code points, as the contract counts it (contract A18). */
export const codePoints = (text: string): number => Array.from(text).length;

/** Whether a text holds no lone surrogate: such a half of a character cannot be sent, and would become another. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);
