/** Conditions that search Temporal's index for a text. */

/** Returns a value in quotes, for a query of Temporal's index. */
export const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/**
 * The odd characters, which Temporal's index does not find as they are. The index drops apostrophes at the ends of a text. On SQLite and
 * PostgreSQL it searches for a backslash before a quotation mark, a backslash, a backspace, a line break or a tab. On PostgreSQL it fails
 * on a question mark.
 */
const ODD_CHARACTER = /'*["\\?\b\n\r\t]|^'|'+$/;

/** A condition of a query. */
export interface TextCondition {
  readonly condition: string;
  /**
   * True if every session that meets the condition has the text, or a value that begins with it. If false, compare the values of the found
   * sessions.
   */
  readonly isExact: boolean;
}

/**
 * Returns the condition for a value that equals a text, or begins with it. If the text has an odd character (`ODD_CHARACTER`), the
 * condition only asks for the part before it. Returns `undefined` if the text begins with one, because every value would meet that
 * condition.
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

/** The rule that a text breaks if lists cannot find it. */
export const NOT_LOOKED_FOR =
  'must not begin with a quotation mark, an apostrophe, a backslash, a question mark, a line break or a tab, nor end with an apostrophe: Temporal’s index does not find such a text';

/** True if a list can find a text. */
export const isLookedFor = (text: string): boolean =>
  textCondition('', text) !== undefined && !text.endsWith("'");

/** The rule that a name breaks if queries cannot find exactly its sessions. */
export const NOT_EXACT =
  'must not have quotation marks, backslashes, question marks, line breaks or tabs, nor begin or end with an apostrophe: Temporal’s index does not find such a name';

/** True if a query for the text finds exactly the sessions that have it. */
export const isExactText = (text: string): boolean => textCondition('', text)?.isExact === true;
