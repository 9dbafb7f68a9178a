import { isRecord } from '../../src/contract/values/json';
import type { Metadata } from '../../src/protocol/metadata';
import type { SessionRequestFields } from '../../src/contract/session-request';

/** The text that replaces every personal value. It does not show the value's length. */
export const MASK = '••••••';

/**
 * Returns a session's reference, masked if the merchant keeps it out of the lists.
 * @param indexed the session's reference in Temporal's index or in the ledger's lists, in plain text for everyone; `undefined` if the
 * merchant keeps it out of both
 */
export const shownReference = (reference: string, indexed: string | undefined): string =>
  reference === indexed ? reference : MASK;

/** A line of a request, as a page shows it. */
export interface ShownValue {
  readonly path: string;
  readonly text: string;
  readonly isMasked: boolean;
}

/**
 * Returns a request without its personal values, and without the names of fields that are not in the contract.
 * @param indexedReference the reference in Temporal's index or in the ledger's lists, in plain text for everyone;
 * `undefined` if the merchant keeps it out of both
 */
export function maskedRequest(request: unknown, indexedReference: string | undefined): readonly ShownValue[] {
  return requestValues(request).map(({ path, value, isPersonal }) => {
    const isReference = path === 'referenceId' && typeof value === 'string';
    const isMasked = isPersonal && !(isReference && shownReference(value, indexedReference) === value);
    return { path: path ?? MASK, text: isMasked ? MASK : textOf(value), isMasked };
  });
}

/** Returns the metadata. Values that everyone can search for are shown. The others are masked. */
export const maskedMetadata = (metadata: Metadata = {}, indexed: Metadata = {}): readonly ShownValue[] =>
  Object.entries(metadata).map(([name, value]) => {
    const isMasked = indexed[name] !== value;
    return { path: `metadata.${name}`, text: isMasked ? MASK : value, isMasked };
  });

/** Returns the unmasked request, for one answer to an operator who gave a reason. */
export function revealedRequest(request: unknown): readonly ShownValue[] {
  return requestValues(request).map(({ ownPath, value }) => ({
    path: ownPath,
    text: textOf(value),
    isMasked: false,
  }));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

/** The paths of a request's values: `payor.address.city`. */
type PathsIn<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? { [K in keyof T & string]-?: PathOf<K, NonNullable<T[K]>> }[keyof T & string]
    : never;
type PathOf<K extends string, Value> = Value extends object ? `${K}.${PathsIn<Value>}` : K;

/**
 * The rule of a field. `personal`: every value is about a person, or about the accounts or pages of a business. A function returns true if
 * the value is harmless.
 */
type Rule = 'personal' | ((value: unknown) => boolean);

const number: Rule = (value) => typeof value === 'number' && Number.isFinite(value);
const flag: Rule = (value) => typeof value === 'boolean';
const oneOf =
  (...choices: readonly string[]): Rule =>
  (value) =>
    typeof value === 'string' && choices.includes(value);

/**
 * The rules that decide which values of a create request every reader of a session may see. Every field of the contract must be listed, or
 * the code does not compile. A value that its rule does not accept is personal, except a `null`. A field that is not listed is personal,
 * including its name.
 */
const FIELDS: Readonly<Record<PathsIn<SessionRequestFields>, Rule>> = {
  type: oneOf('EFT', 'e-Transfer'),
  direction: oneOf('DEBIT', 'CREDIT'),
  currency: oneOf('CAD'),
  amount: number,
  // Not masked if it is in the lists that everyone sees: see `maskedRequest`.
  referenceId: 'personal',
  'options.guarantee.enable': flag,
  'options.notificationPreferences.language': oneOf('EN', 'FR'),
  'options.notificationPreferences.sendNetworkLink': flag,
  'options.showConsentScreen': flag,
  'options.limits.minimumAmount': number,
  'options.limits.maximumAmount': number,
  'options.amountModification': flag,
  'options.redirectPreferences.mode': oneOf('JsEvents', 'RedirectUri'),
  'options.redirectPreferences.urlSuccess': 'personal',
  'options.redirectPreferences.urlExit': 'personal',
  'payor.firstName': 'personal',
  'payor.lastName': 'personal',
  'payor.email': 'personal',
  'payor.middleName': 'personal',
  'payor.occupation': 'personal',
  'payor.birthDate': 'personal',
  'payor.address.addressLine1': 'personal',
  'payor.address.addressLine2': 'personal',
  'payor.address.unit': 'personal',
  'payor.address.city': 'personal',
  'payor.address.province': 'personal',
  'payor.address.country': 'personal',
  'payor.address.postalCode': 'personal',
  'payee.account.accountNumber': 'personal',
  'payee.account.transitNumber': 'personal',
  'payee.account.institutionCode': 'personal',
  'payee.account.accountLabel': 'personal',
  'payee.accountLabel': 'personal',
  accountLabel: 'personal',
};

const RULES: ReadonlyMap<string, Rule> = new Map(Object.entries(FIELDS));
/** The paths of the objects in a request, such as `payor.address`. */
const GROUPS: ReadonlySet<string> = new Set([...RULES.keys()].flatMap(groupsAbove));

function groupsAbove(path: string): string[] {
  const names = path.split('.').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
}

/** One value of a request. */
interface RequestValue {
  /** The path in the contract, such as `payor.address.city`. Absent for a field that is not in the contract. */
  readonly path?: string;
  /** The path in the request. */
  readonly ownPath: string;
  readonly value: unknown;
  /** True if the value is personal. It is masked until an operator asks for it. A reference that is in the lists is not masked. */
  readonly isPersonal: boolean;
}

/** Lists a request's values in the order of the request. An unknown field is a single value, even if it contains an object. */
function requestValues(request: unknown, above = ''): readonly RequestValue[] {
  if (!isRecord(request)) return [{ ownPath: above, value: request, isPersonal: true }];
  return Object.entries(request).flatMap(([name, value]): readonly RequestValue[] => {
    const ownPath = above === '' ? name : `${above}.${name}`;
    // A name with a dot could be mistaken for a path.
    const isPlainName = !name.includes('.');
    if (isPlainName && GROUPS.has(ownPath) && isRecord(value)) return requestValues(value, ownPath);
    const rule = isPlainName ? RULES.get(ownPath) : undefined;
    const path = isPlainName && (rule !== undefined || GROUPS.has(ownPath)) ? { path: ownPath } : {};
    return [{ ...path, ownPath, value, isPersonal: !isShown(rule, value) }];
  });
}

/** True if every reader may see the value. A `null` in a known field reveals nothing. */
function isShown(rule: Rule | undefined, value: unknown): boolean {
  if (rule === undefined) return false;
  return value === null || (rule !== 'personal' && rule(value));
}
