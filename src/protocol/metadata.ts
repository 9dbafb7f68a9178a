/** Metadata: the caller's own texts about a payment. The payment service never receives metadata. */
import type { ValidationFailure } from '../contract/validate-session-request';
import { isRecord } from '../contract/values/json';
import { shownName, textFault } from '../contract/values/text';

/** Your own texts about a payment, by name. */
export type Metadata = Readonly<Record<string, string>>;

/** The name under which metadata have the caller's id of the customer. */
export const CUSTOMER = 'customer';

/** The maximum number of members of a session's metadata. */
export const MAX_METADATA = 20;
/** The maximum length of a value, in Unicode code points. */
export const MAX_VALUE_LENGTH = 500;
/** The maximum number of names that a policy can make searchable. Temporal's index accepts at most 2 KB in one search attribute. */
export const MAX_SEARCHABLE = 5;

/** The form of a name. It begins with a letter, because JavaScript lists names that are numbers before all other names. */
export const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,39}$/;
const NAME_RULE = 'must begin with a letter, and have at most 40 letters, digits, "_", "." and "-"';
/** The form of a searchable value. Temporal's index finds such values exactly, on each database that Temporal supports. */
const SEARCHABLE = /^(?! )[ !#-&(->@-[\]-~]{1,100}(?<! )$/;
const SEARCHABLE_RULE =
  'is searchable, and must be 1 to 100 printable characters of ASCII, without quotation marks, apostrophes, backslashes and question marks, and without spaces at either end';

/** Returns the failures of metadata, which may be absent. */
export function metadataFailures(metadata: unknown): ValidationFailure[] {
  if (metadata == null) return [];
  if (!isRecord(metadata)) return [{ path: 'metadata', message: 'must be an object' }];
  const entries = Object.entries(metadata);
  if (entries.length > MAX_METADATA)
    return [{ path: 'metadata', message: `must have at most ${MAX_METADATA} members` }];
  return entries.flatMap(([name, value]) => {
    const path = `metadata.${shownName(name)}`;
    const message = NAME.test(name) ? textFault(value, MAX_VALUE_LENGTH, 0) : NAME_RULE;
    return message === undefined ? [] : [{ path, message }];
  });
}

/** Returns the rule that a policy's list of searchable names breaks; `undefined` if it is valid. */
export function searchableNamesFault(names: unknown): string | undefined {
  const isList =
    Array.isArray(names) &&
    names.length <= MAX_SEARCHABLE &&
    names.every((name) => typeof name === 'string' && NAME.test(name));
  return isList ? undefined : `must be a list of at most ${MAX_SEARCHABLE} names of metadata`;
}

/** Returns a failure for each value that the policy makes searchable and that does not have the form of a searchable value. */
export function searchableFailures(metadata: unknown, policy: unknown): ValidationFailure[] {
  const names = isRecord(policy) ? policy['searchableMetadata'] : undefined;
  if (!isRecord(metadata) || !Array.isArray(names)) return [];
  return names.flatMap((name: unknown) => {
    const value = typeof name === 'string' && Object.hasOwn(metadata, name) ? metadata[name] : undefined;
    if (typeof value !== 'string' || SEARCHABLE.test(value)) return [];
    return [{ path: `metadata.${shownName(String(name))}`, message: SEARCHABLE_RULE }];
  });
}

/** The metadata of a session, in the form in which the ledger's claim of the session's key stores them. */
export interface ClaimedMetadata {
  /** All metadata. Absent if there are none. */
  readonly metadata?: Metadata;
  /** The names of the metadata that may be stored in plain text. Absent if there are none. */
  readonly searchable?: readonly string[];
}

/** Returns the metadata of a valid input, and the names of the metadata that its policy makes searchable. */
export function claimedMetadata({ metadata, policy }: MetadataInput): ClaimedMetadata {
  if (metadata == null || Object.keys(metadata).length === 0) return {};
  const searchable = [...new Set(policy?.searchableMetadata ?? [])].filter((name) =>
    Object.hasOwn(metadata, name),
  );
  return { metadata, ...(searchable.length > 0 && { searchable: searchable.sort() }) };
}

interface MetadataInput {
  readonly metadata?: Metadata;
  readonly policy?: { readonly searchableMetadata?: readonly string[] };
}

/** Returns the searchable metadata, in the order of their names. */
export const searchablePart = ({ metadata = {}, searchable = [] }: ClaimedMetadata): Metadata =>
  Object.fromEntries(
    searchable.flatMap((name) => (Object.hasOwn(metadata, name) ? [[name, metadata[name] ?? '']] : [])),
  );

/** Returns the values of the search attribute for searchable metadata, such as `customer=cus_42`. */
export const metadataWords = (metadata: Metadata): string[] =>
  Object.entries(metadata).map(([name, value]) => `${name}=${value}`);

/** Returns the metadata from the values of the search attribute. The inverse of `metadataWords`. */
export const metadataOfWords = (words: readonly string[]): Metadata =>
  Object.fromEntries(
    words.flatMap((word) => {
      const at = word.indexOf('=');
      return at < 1 ? [] : [[word.slice(0, at), word.slice(at + 1)]];
    }),
  );

/** Returns the failures of a search for metadata. All values must have the form of searchable values. */
export function soughtFailures(metadata: unknown): ValidationFailure[] {
  const failures = metadataFailures(metadata);
  if (failures.length > 0 || !isRecord(metadata)) return failures;
  return searchableFailures(metadata, { searchableMetadata: Object.keys(metadata) });
}
