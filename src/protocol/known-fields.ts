import type { ValidationFailure } from '../contract/validate-session-request';

/** Names are shown up to this length. */
const MAX_SHOWN = 50;
/** More mistakes than this need no list. */
const MAX_LISTED = 10;

interface KnownFields {
  /** What has the fields, as messages call it. */
  readonly of: string;
  readonly names: readonly string[];
  /** What the fields' paths begin with. @default nothing */
  readonly prefix?: string;
}

/** A failure for each field that is not known, with the known name that it resembles. */
export function unknownFieldFailures(
  value: Readonly<Record<string, unknown>>,
  { of, names, prefix = '' }: KnownFields,
): ValidationFailure[] {
  const unknown = Object.keys(value).filter((name) => value[name] !== undefined && !names.includes(name));
  return unknown.slice(0, MAX_LISTED).map((name) => {
    const meant = nearest(name, names);
    return {
      path: `${prefix}${shown(name)}`,
      message: `is not a field of ${of}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    };
  });
}

const shown = (name: string): string =>
  Array.from(name)
    .slice(0, MAX_SHOWN)
    .join('')
    .replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '?');

/** The known name that a misspelt one resembles: at most a third of its letters differ. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > MAX_SHOWN) return undefined;
  const ranked = names
    .map((known) => ({ known, differs: distance(name.toLowerCase(), known.toLowerCase()) }))
    .filter(({ known, differs }) => differs * 3 <= Math.max(known.length, 3))
    .sort((a, b) => a.differs - b.differs);
  return ranked[0]?.known;
}

/** How many letters must be inserted, dropped or replaced to make one text of the other. */
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
