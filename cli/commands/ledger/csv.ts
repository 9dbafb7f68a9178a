/** What a spreadsheet may take for the start of a formula, in full width, too. */
const STARTS_FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?\d+([.]\d+)?$/;
const NEEDS_QUOTES = /[",;\r\n\t]/;

/**
 * A line by RFC 4180, with its end. A cell that a spreadsheet would run as a formula gets an apostrophe before it, as OWASP advises; numbers
 * stay as they are.
 */
export const csvLine = (cells: readonly (string | undefined)[]): string =>
  `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(text = ''): string {
  const harmless = STARTS_FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
