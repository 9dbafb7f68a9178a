import { csvCell } from '../../src/contract/values/text';

/** What a spreadsheet may take for the start of a formula, in full width, too. */
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+([.]\d+)?$/;

/**
 * A line by RFC 4180, with its end. A cell that a spreadsheet would run as a formula gets an apostrophe before it, as OWASP advises; numbers
 * stay as they are.
 */
export const csvLine = (cells: readonly (string | undefined)[]): string =>
  `${cells.map((cell = '') => csvCell(harmless(cell))).join(',')}\r\n`;

const harmless = (text: string): string =>
  STARTS_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
