import { nearest, shownName } from '../../contract/values/nearest';
import type { ValidationFailure } from '../../contract/validate-session-request';

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
      path: `${prefix}${shownName(name)}`,
      message: `is not a field of ${of}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    };
  });
}
