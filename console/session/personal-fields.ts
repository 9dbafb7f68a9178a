import { isRecord } from '../../src/contract/values/json';
import type { SessionRequestFields } from '../../src/contract/session-request';

/** Stands for every personal value, however long it is. */
export const MASK = '••••••';

/**
 * A reference as whoever may look sees it: in plain text if the engine's index has it so, for everybody, as the session's own.
 * @param indexed the session's reference in the index; `undefined` where the merchant keeps it out of there
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
 * A request without its personal values, and without the names of fields that the contract does not have.
 * @param indexedReference the reference as the engine's index has it, in plain text for everybody; `undefined` where the
 * merchant keeps it out of there
 */
export function maskedRequest(request: unknown, indexedReference: string | undefined): readonly ShownValue[] {
  return requestValues(request).map(({ path, value, isPersonal }) => {
    const isReference = path === 'referenceId' && typeof value === 'string';
    const isMasked = isPersonal && !(isReference && shownReference(value, indexedReference) === value);
    return { path: path ?? MASK, text: isMasked ? MASK : textOf(value), isMasked };
  });
}

/** A request as it is, for the one answer to an operator who gave a reason. */
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

/** Says that a value is about a person, about a business's accounts or its pages; or tests if it is a harmless one. */
type Rule = 'personal' | ((value: unknown) => boolean);

const number: Rule = (value) => typeof value === 'number' && Number.isFinite(value);
const flag: Rule = (value) => typeof value === 'boolean';
const oneOf =
  (...choices: readonly string[]): Rule =>
  (value) =>
    typeof value === 'string' && choices.includes(value);

/**
 * Which values of a creation request are shown to everybody who may look at a session: a field that is new must be listed, or
 * this does not compile. Any value that is not what its field holds is personal, and so is every field that is not listed, with
 * its name.
 */
const FIELDS: Readonly<Record<PathsIn<SessionRequestFields>, Rule>> = {
  type: oneOf('EFT', 'e-Transfer'),
  direction: oneOf('DEBIT', 'CREDIT'),
  currency: oneOf('CAD'),
  amount: number,
  // Shown where the engine's index holds it for everybody anyway: see `maskedRequest`.
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
/** Objects of a request: `payor.address`. */
const GROUPS: ReadonlySet<string> = new Set([...RULES.keys()].flatMap(groupsAbove));

function groupsAbove(path: string): string[] {
  const names = path.split('.').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('.'));
}

/** One value of a request. */
interface RequestValue {
  /** `payor.address.city`; absent for a field that the contract does not name. */
  readonly path?: string;
  /** The path as the request has it. */
  readonly ownPath: string;
  readonly value: unknown;
  /** Nobody sees it who has not asked for it. */
  readonly isPersonal: boolean;
}

/** The values of a request, in its own order. A value of an unknown field is one value, whatever it holds. */
function requestValues(request: unknown, above = ''): readonly RequestValue[] {
  if (!isRecord(request)) return [{ ownPath: above, value: request, isPersonal: true }];
  return Object.entries(request).flatMap(([name, value]): readonly RequestValue[] => {
    const ownPath = above === '' ? name : `${above}.${name}`;
    // A name with a dot could pass for a path.
    const isOwn = !name.includes('.');
    if (isOwn && GROUPS.has(ownPath) && isRecord(value)) return requestValues(value, ownPath);
    const rule = isOwn ? RULES.get(ownPath) : undefined;
    const path = isOwn && (rule !== undefined || GROUPS.has(ownPath)) ? { path: ownPath } : {};
    return [{ ...path, ownPath, value, isPersonal: !isShown(rule, value) }];
  });
}

/** True if everybody may see the value. An empty value of a known field says nothing. */
function isShown(rule: Rule | undefined, value: unknown): boolean {
  if (rule === undefined) return false;
  return value === null || (rule !== 'personal' && rule(value));
}
