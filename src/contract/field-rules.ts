import { isRecord } from './values/json';
import { decimalPlaces } from './values/money';
import { codePoints, HALF_A_CHARACTER, isWellFormed, nearest, shownName } from './values/text';

/**
 * The rules for the fields of a creation request, as data, and the check of a request against these rules. The sandbox's OpenAPI
 * document and the JSON Schemas are generated from the rules. The rules are not a zod schema, because browsers load them, and zod
 * is many times as large.
 */

/** The rule for a text. Lengths count Unicode code points (contract A18). */
export interface TextRule {
  readonly type: 'string';
  readonly maxLength?: number;
  readonly form?: TextForm;
  /** True if the service refuses a text with a lone surrogate, which is half a character (contract A18). */
  readonly isWhole?: true;
}

/** The form that a text must have, such as that of an email address. */
export interface TextForm {
  readonly fits: (value: string) => boolean;
  /** The rule in words. It continues the field's path: `payor.email` "must be an email address". */
  readonly message: string;
  /** A regular expression for the OpenAPI document and the JSON Schemas. It may accept more texts than `fits` does. */
  readonly pattern: string;
  readonly format?: 'email' | 'uri';
  readonly minLength?: number;
}

export interface NumberRule {
  readonly type: 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  /** The maximum number of digits after the decimal point (contract A13). */
  readonly maxDecimals?: number;
}

export interface BooleanRule {
  readonly type: 'boolean';
}

/** The rule for a field with a few possible values. */
export interface ChoiceRule<Value extends string | boolean = string | boolean> {
  readonly type: 'choice';
  readonly values: readonly Value[];
}

/** The rule for an object. Members without a rule are ignored (contract A20). */
export interface ObjectRule {
  readonly type: 'object';
  readonly members: Readonly<Record<string, FieldRule>>;
}

/** The rule for a field's value, and whether the field may be absent or `null`. */
export type FieldRule = (TextRule | NumberRule | BooleanRule | ChoiceRule | ObjectRule) & {
  readonly isOptional?: true;
  readonly isNullable?: true;
};

/**
 * The rules for an object of the type `Type`. The compiler checks that every member of the type has a rule, and that every rule has
 * a member.
 */
export interface RulesOf<Type> extends ObjectRule {
  readonly members: { readonly [Name in keyof Type]-?: RuleOf<Type[Name]> };
}

type RuleOf<Value> = ValueRuleOf<NonNullable<Value>> &
  (undefined extends Value ? { readonly isOptional: true } : { readonly isOptional?: never }) &
  (null extends Value ? { readonly isNullable: true } : { readonly isNullable?: never });

type ValueRuleOf<Value> = [string] extends [Value]
  ? TextRule
  : [Value] extends [string]
    ? ChoiceRule<Value>
    : [Value] extends [number]
      ? NumberRule
      : [Value] extends [boolean]
        ? BooleanRule
        : RulesOf<Value>;

/** Returns the rule of a field that may be absent. */
export const optional = <Rule extends object>(rule: Rule) => ({ ...rule, isOptional: true }) as const;

/** Returns the rule of a field that may be absent or `null`. */
export const nullish = <Rule extends object>(rule: Rule) =>
  ({ ...rule, isOptional: true, isNullable: true }) as const;

/** One failure of a request or of a session's input. Names the field and the rule that the field breaks. */
export interface ValidationFailure {
  /**
   * The field's path in the checked request, such as `payor.address.city`, or `request` for the whole request. If a session's input
   * was checked, the path begins there: `request.payor.address.city`.
   */
  readonly path: string;
  /** The rule that the field breaks, in words. The message never repeats the value. */
  readonly message: string;
}

/**
 * Checks a value and its members against a rule. Returns the failures, or an empty list if the value is valid. Messages never
 * repeat the value.
 */
export function fieldFailures(rule: FieldRule, value: unknown, path = ''): ValidationFailure[] {
  if (value === undefined && rule.isOptional) return [];
  if (value === null && rule.isNullable) return [];
  if (rule.type !== 'object' || !isRecord(value)) {
    return faultsOf(rule, value).map((message) => ({ path: path || 'request', message }));
  }
  return Object.entries(rule.members).flatMap(([name, member]) =>
    fieldFailures(member, value[name], path ? `${path}.${name}` : name),
  );
}

/** The most misspelt fields that are listed for one object. */
const MAX_MISSPELT = 10;
/** The most unknown fields that are checked in one object. */
const MAX_COMPARED = 1_000;

/**
 * Returns a failure for each misspelt field: an unknown field whose name is close to a known name. The message suggests the known
 * name. Returns at most ten failures for one object. The service itself silently ignores unknown fields (contract A20).
 */
export function misspeltFailures(rule: FieldRule, value: unknown, path = ''): ValidationFailure[] {
  if (rule.type !== 'object' || !isRecord(value)) return [];
  const pathOf = (name: string) => (path ? `${path}.${name}` : name);
  const known = Object.keys(rule.members);
  const unknown = Object.keys(value).filter((name) => value[name] !== undefined && !known.includes(name));
  const failures = unknown.slice(0, MAX_COMPARED).flatMap((name) => {
    const meant = nearest(name, known);
    const message = `is not a field of ${path || 'the request'}; did you mean ${meant}?`;
    return meant === undefined ? [] : [{ path: pathOf(shownName(name)), message }];
  });
  const inner = Object.entries(rule.members);
  return [
    ...failures.slice(0, MAX_MISSPELT),
    ...inner.flatMap(([name, member]) => misspeltFailures(member, value[name], pathOf(name))),
  ];
}

/**
 * Returns a copy that has only the fields with a rule. Leaves out fields that JSON does not carry, such as the getters of a class.
 */
export function knownPart(rule: FieldRule, value: unknown): unknown {
  if (rule.type !== 'object' || !isRecord(value)) return value;
  const isSent = (name: string) => Object.prototype.propertyIsEnumerable.call(value, name);
  const members = Object.entries(rule.members).filter(([name]) => isSent(name) && value[name] !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, knownPart(member, value[name])]));
}

function faultsOf(rule: FieldRule, value: unknown): string[] {
  if (value === undefined) return ['is required'];
  switch (rule.type) {
    case 'choice':
      return choiceFaults(rule, value);
    case 'string':
      return typeof value === 'string' ? textFaults(rule, value) : wrongType(rule);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
        ? numberFaults(rule, value)
        : wrongType(rule);
    case 'boolean':
      return typeof value === 'boolean' ? [] : wrongType(rule);
    case 'object':
      return wrongType(rule);
  }
}

const wrongType = ({ type }: FieldRule): string[] => [`must be of type ${type}`];

function choiceFaults({ values }: ChoiceRule, value: unknown): string[] {
  return values.some((choice) => choice === value) ? [] : [`must be ${values.join(' or ')}`];
}

function textFaults({ form, maxLength = Infinity, isWhole }: TextRule, value: string): string[] {
  // First, because checking the form of a very long text may take long.
  if (value.length > 2 * maxLength) return [`must have at most ${maxLength} characters`];
  const faults: string[] = [];
  if (form?.fits(value) === false) faults.push(form.message);
  if (codePoints(value) > maxLength) faults.push(`must have at most ${maxLength} characters`);
  if (isWhole && !isWellFormed(value)) faults.push(HALF_A_CHARACTER);
  return faults;
}

function numberFaults(rule: NumberRule, value: number): string[] {
  const { minimum = -Infinity, maximum = Infinity, maxDecimals = Infinity } = rule;
  const faults: string[] = [];
  if (value < minimum) faults.push(`must be at least ${minimum}`);
  if (value > maximum) faults.push(`must be at most ${maximum}`);
  if (decimalPlaces(value) > maxDecimals) faults.push(`must have at most ${maxDecimals} decimal places`);
  return faults;
}
