/**
 * What a field of the creation request may hold, as data: requests are checked by it, and the sandbox's OpenAPI document shows
 * it. Not a zod schema, as at the other boundaries: browsers and small functions load this check too, which weighs 4 kB
 * compressed, and with zod more than 100 kB.
 */

/** A text, whose length counts Unicode code points (contract A18). */
export interface TextRule {
  readonly type: 'string';
  readonly maxLength?: number;
  readonly form?: TextForm;
  /** Whether halves of characters (lone surrogates) are refused (contract A18). */
  readonly isWhole?: true;
}

/** A form that a text must have. */
export interface TextForm {
  readonly fits: (value: string) => boolean;
  /** What it must be, to be read after the field's path. */
  readonly message: string;
  /** As much of the form as a regular expression says, for readers of the OpenAPI document. */
  readonly pattern: string;
  readonly format?: 'email' | 'uri';
  readonly minLength?: number;
}

export interface NumberRule {
  readonly type: 'number';
  readonly minimum?: number;
  readonly maximum?: number;
  /** Digits after the point, judged on the decimal text (contract A13). */
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

/** An object; members that it does not name are ignored (contract A20). */
export interface ObjectRule {
  readonly type: 'object';
  readonly members: Readonly<Record<string, FieldRule>>;
}

/** The rule of a field's value, and whether the field may be left out or be `null`. */
export type FieldRule = (TextRule | NumberRule | BooleanRule | ChoiceRule | ObjectRule) & {
  readonly isOptional?: true;
  readonly isNullable?: true;
};

/** The rules of an object of a type: the compiler refuses a member without one, and one that the type has not. */
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

/** May be left out. */
export const optional = <Rule extends object>(rule: Rule) => ({ ...rule, isOptional: true }) as const;

/** May be left out or `null`. */
export const nullish = <Rule extends object>(rule: Rule) =>
  ({ ...rule, isOptional: true, isNullable: true }) as const;
