/** Returns the length of a text in Unicode code points, as the service counts it (contract A18). */
export const codePoints = (text: string): number => Array.from(text).length;

/** True if the text has no lone surrogate (half a character), which UTF-8 cannot carry. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

export const HALF_A_CHARACTER = 'must not contain a lone surrogate (half a character)';

/** Returns what is wrong with a text that must have `least` to `most` Unicode code points, or `undefined`. */
export function textFault(value: unknown, most: number, least: 0 | 1 = 1): string | undefined {
  const isText =
    typeof value === 'string' &&
    value.length >= least &&
    // First, because counting the code points of a very long text is slow.
    value.length <= 2 * most &&
    codePoints(value) <= most;
  if (!isText) return `must be text of ${least === 0 ? 'at most' : '1 to'} ${most} characters`;
  return isWellFormed(value) ? undefined : HALF_A_CHARACTER;
}

/**
 * The longest reference of a guaranteed EFT or an e-Transfer, in characters (contract A38). The Temporal server refuses to index
 * a much longer text.
 */
const MAX_REFERENCE_LENGTH = 100;

/** Returns what is wrong with a reference, or `undefined`. The reference of a regular EFT has a stricter rule (contract A32). */
export const referenceFault = (reference: unknown): string | undefined =>
  textFault(reference, MAX_REFERENCE_LENGTH);

/** In characters. Longer names are cut in messages, and not compared. */
const MAX_LENGTH = 50;

/** Returns a name from outside for use in a message. Cuts a long name, and replaces line breaks and control characters. */
export const shownName = (name: string): string =>
  Array.from(name)
    .slice(0, MAX_LENGTH)
    .join('')
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '?');

/**
 * Returns the known name that is closest to a misspelt name, or `undefined` if none is close. At most a third of the known
 * name's letters may differ, or one letter of a short name. Case does not count.
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const isNear = (known: string, differs: number) => differs * 3 <= Math.max(known.length, 3);
  const ranked = names
    .filter((known) => isNear(known, Math.abs(known.length - name.length)))
    .map((known) => ({ known, differs: distance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, differs }) => isNear(known, differs))
    .sort((a, b) => a.differs - b.differs);
  return ranked[0]?.known;
}

/** Returns the edit distance of two texts. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Returns a text as one word of a shell command, quoted only if it must be. */
export const shellWord = (text: string): string => (/^[\w.:/@+-]+$/.test(text) ? text : shellQuoted(text));

/** Returns a text in single quotes, as one word of a shell command. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const NEEDS_QUOTES = /[",;\r\n\t]/;

/** Returns a text as a cell of CSV, by RFC 4180. */
export const csvCell = (text: string): string =>
  NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
