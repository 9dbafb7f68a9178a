/** Builds conditions that search Temporal's visibility index for a text. */

/** Returns a value in quotes, for a query of Temporal's visibility index. */
export const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/**
 * The odd characters, which Temporal's index cannot find. The index drops apostrophes at both ends of a text. On SQLite and PostgreSQL, it
 * wrongly expects a backslash before a quotation mark, a backslash, a backspace, a line break or a tab. On PostgreSQL, a query with a
 * question mark or a NUL fails.
 */
const ODD_CHARACTER = /'*["\\?\b\n\r\t\0]|^'|'+$/;

/** A condition of a query. */
export interface TextCondition {
  readonly condition: string;
  /**
   * True if the condition finds only sessions whose value equals the text, or begins with the text. If false, the caller must compare the
   * values of the found sessions.
   */
  readonly isExact: boolean;
}

/**
 * Returns the condition for a value that equals a text, or that begins with a text. If the text has an odd character (`ODD_CHARACTER`),
 * the condition searches only for the part before that character. Returns `undefined` if the text begins with an odd character, because
 * then there is nothing to search for.
 */
export function textCondition(
  name: string,
  text: string,
  how: '=' | 'STARTS_WITH' = '=',
): TextCondition | undefined {
  const oddAt = text.search(ODD_CHARACTER);
  if (oddAt === 0) return undefined;
  if (oddAt < 0) return { condition: `${name} ${how} ${quoted(text)}`, isExact: true };
  return { condition: `${name} STARTS_WITH ${quoted(text.slice(0, oddAt))}`, isExact: false };
}

/** The rule for a text to search for. */
export const NOT_LOOKED_FOR =
  'must not begin with a quotation mark, an apostrophe, a backslash, a question mark, a line break or a tab, nor end with an apostrophe: Temporal’s index does not find such a text';

/** True if a list can find a text. */
export const isLookedFor = (text: string): boolean =>
  textCondition('', text) !== undefined && !text.endsWith("'");

/** The rule for a name by which queries must find exactly the right sessions. */
export const NOT_EXACT =
  'must not have quotation marks, backslashes, question marks, line breaks or tabs, nor begin or end with an apostrophe: Temporal’s index does not find such a name';

/** True if a query for the text finds exactly the sessions with this text. */
export const isExactText = (text: string): boolean => textCondition('', text)?.isExact === true;
