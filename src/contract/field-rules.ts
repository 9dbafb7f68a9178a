import { isRecord } from './values/json';
import { decimalPlaces } from './values/money';
import { codePoints, HALF_A_CHARACTER, isWellFormed, nearest, shownName } from './values/text';

/**
 * Rules for the fields of the creation request, as data. `validateSessionRequest` checks requests with them. The sandbox's OpenAPI
 * document and the JSON Schemas show them. They are not a zod schema: browsers load this check
 * too, and zod is many times as large.
 */

/** A text, whose length counts Unicode code points (contract A18). */
export interface TextRule {
  readonly type: 'string';
  readonly maxLength?: number;
  readonly form?: TextForm;
  /** True if the service refuses lone surrogates, which are halves of characters (contract A18). */
  readonly isWhole?: true;
}

/** A form that a text must have. */
export interface TextForm {
  readonly fits: (value: string) => boolean;
  /** The rule in words, to read after the field's path. */
  readonly message: string;
  /** A regular expression for the OpenAPI document and the JSON Schemas. It may accept more than `fits`. */
  readonly pattern: string;
  readonly format?: 'email' | 'uri';
  readonly minLength?: number;
}

export interface NumberRule {
  readonly type: 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  /** The most digits after the point, counted in the decimal text (contract A13). */
  readonly maxDecimals?: number;
}

export interface BooleanRule {
  readonly type: 'boolean';
}

/** One of a few values. */
export interface ChoiceRule<Value extends string | boolean = string | boolean> {
  readonly type: 'choice';
  readonly values: readonly Value[];
}

/** An object. Members without a rule are ignored (contract A20). */
export interface ObjectRule {
  readonly type: 'object';
  readonly members: Readonly<Record<string, FieldRule>>;
}

/** The rule for a field's value, and whether the field may be absent or `null`. */
export type FieldRule = (TextRule | NumberRule | BooleanRule | ChoiceRule | ObjectRule) & {
  readonly isOptional?: true;
  readonly isNullable?: true;
};

/** The rules for an object of a type. The compiler refuses a member without a rule, and a rule for a member that the type lacks. */
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

/** One failure of a request, or of a session's input: the field's path and the rule that the field breaks. */
export interface ValidationFailure {
  /**
   * The field's path in the request, such as `payor.address.city`; `request` for the whole request. A failure of an input has the
   * path in the input, such as `request.payor.address.city`.
   */
  readonly path: string;
  /** The rule that the field breaks, in words. The message never repeats the value. */
  readonly message: string;
}

/** Returns the failures of a field and its members by their rules; empty if the field is valid. Messages never repeat the value. */
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

/** The most misspelt fields of one object that are listed. */
const MAX_MISSPELT = 10;
/** The most unknown fields of one object that are checked. */
const MAX_COMPARED = 1_000;

/**
 * Returns a failure for each unknown field that nearly has a known name, and suggests that name. Returns at most ten failures for
 * one object. Without the failure, the service would silently ignore the field (contract A20).
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
 * Returns a copy with the fields that the rule names and JSON carries: no inherited ones, such as a class's getters.
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
  // Checked before the form, which may take long for a text that is far too long.
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
