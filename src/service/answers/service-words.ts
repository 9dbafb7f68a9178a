/**
 * Extracts the payment service's own words about a request from problem details, and removes the request's personal values.
 */
import type { ProblemDetails } from '../../contract';
import { isRecord } from '../../contract/values/json';

/**
 * The maximum length of the text, and the maximum number of fields in it. People read the text in logs and on screens, so it
 * is short.
 */
const MAX_LENGTH = 300;
const MAX_FIELDS = 3;

/** The text that replaces a personal value. */
const HIDDEN = '…';

/** The fields of a request whose values are words of the contract, and not personal. */
const WORDS: ReadonlySet<string> = new Set(['type', 'direction', 'currency', 'language', 'mode']);

const EMAIL = /[^\s@"'“”‘’(),;:<>]+@[^\s@"'“”‘’(),;:<>]+/g;
/**
 * Six or more digits, also with single separators, as in an account number, a phone number or a date. Most amounts have
 * fewer digits.
 */
const LONG_NUMBER = /\d(?:[ ./-]?\d){5,}/g;

/**
 * Returns the service's words on one line, without personal values. A long text is cut. Returns `undefined` if there are no
 * words.
 */
export function saidOf(problem: ProblemDetails | undefined, request: unknown): string | undefined {
  const text = wordsOf(problem ?? {});
  if (text === '') return undefined;
  const hidden = [...personalWords(request)].reduce(
    (left, word) => left.replaceAll(asWord(word), HIDDEN),
    text.replaceAll(EMAIL, HIDDEN).replaceAll(LONG_NUMBER, HIDDEN),
  );
  const line = hidden.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
  return cut(line, MAX_LENGTH);
}

/**
 * Cuts a text to at most `most` UTF-16 code units, including an ellipsis. Never leaves half of a surrogate pair at the end.
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/\p{Surrogate}$/u, '')}…`;
}

/** Returns the detail, or the title if there is no detail, and all messages of `errors` that are not in that text. */
function wordsOf({ title, detail, errors = {} }: ProblemDetails): string {
  const first = detail ?? title ?? '';
  const listed = Object.entries(errors).flatMap(([path, messages]) => {
    const more = messages.filter((message) => !first.includes(message));
    return more.length === 0 ? [] : [`${path}: ${more.join(' ')}`];
  });
  const parts = [first, ...listed.slice(0, MAX_FIELDS)].filter((part) => part !== '');
  // Our messages put the words into these quotation marks.
  return parts.join('; ').replaceAll(/[“”]/g, '"');
}

/** The minimum lengths of words and numbers that are hidden. Shorter ones occur in most texts by chance. */
const SHORTEST_WORD = 3;
const SHORTEST_NUMBER = 4;

/** Returns the texts of a request and the words in them, the longest first. */
function personalWords(request: unknown): ReadonlySet<string> {
  const words = textsIn(request).flatMap((text) => [text.trim(), ...text.split(/[^\p{L}\p{N}]+/u)]);
  const hidden = words.filter(
    (word) => word.length >= (/^\d+$/.test(word) ? SHORTEST_NUMBER : SHORTEST_WORD),
  );
  return new Set(hidden.sort((one, other) => other.length - one.length));
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => (WORDS.has(name) ? [] : textsIn(member)));
}

/** Returns a regular expression that finds the text as a separate word, in upper or lower case. */
function asWord(text: string): RegExp {
  const quoted = text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
  return new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'giu');
}
