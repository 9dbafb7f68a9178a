/** Searches for a text in Temporal's index. */

/** A value as the queries of Temporal's index take it. */
export const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/**
 * The signs that Temporal's index does not look for as they are. It drops apostrophes at the ends of a text. On SQLite and PostgreSQL it looks
 * for a quotation mark, a backslash, a line break or a tab with a backslash in front, and on PostgreSQL it fails on a question mark.
 */
const ODD_SIGN = /'*["\\?\b\n\r\t]|^'|'+$/;

/** A condition of a query. */
export interface TextCondition {
  readonly condition: string;
  /** True if only what has the text, or begins with it, meets the condition. Otherwise the answers need to be compared. */
  readonly isExact: boolean;
}

/**
 * Returns the condition for a value that is a text, or begins with it. If the text has an odd sign, the condition asks for what begins as the
 * text does before the sign. `undefined` if it begins with one: everything would meet that condition.
 */
export function textCondition(
  name: string,
  text: string,
  how: '=' | 'STARTS_WITH' = '=',
): TextCondition | undefined {
  const oddAt = text.search(ODD_SIGN);
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

/** True if a query for a text finds what has it and nothing else. */
export const isExactText = (text: string): boolean => textCondition('', text)?.isExact === true;
