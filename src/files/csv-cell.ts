const NEEDS_QUOTES = /[",;\r\n\t]/;

/** A cell of CSV, by RFC 4180. */
export const csvCell = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
