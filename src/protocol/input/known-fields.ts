import type { ValidationFailure } from '../../contract/validate-session-request';
import { nearest, shownName } from '../../contract/values/text';

/** More mistakes than this need no list. */
const MAX_LISTED = 10;

interface KnownFields {
  /** What has the fields, as messages call it. */
  readonly of: string;
  readonly names: readonly string[];
  /** What the fields' paths begin with. @default nothing */
  readonly prefix?: string;
  /** Paths of fields of other objects, for which a name may be meant. @default none */
  readonly elsewhere?: readonly string[];
}

/** A failure for each field that is not known, with the known name that it resembles. */
export function unknownFieldFailures(
  value: Readonly<Record<string, unknown>>,
  { of, names, prefix = '', elsewhere = [] }: KnownFields,
): ValidationFailure[] {
  const unknown = Object.keys(value).filter((name) => value[name] !== undefined && !names.includes(name));
  return unknown.slice(0, MAX_LISTED).map((name) => {
    const meant =
      elsewhere.find((path) => lastOf(path) === name) ?? nearest(name, names) ?? nearPath(name, elsewhere);
    return {
      path: `${prefix}${shownName(name)}`,
      message: `is not a field of ${of}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    };
  });
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** The path whose last name a misspelt one resembles. */
function nearPath(name: string, paths: readonly string[]): string | undefined {
  const meant = nearest(name, paths.map(lastOf));
  return paths.find((path) => lastOf(path) === meant);
}
