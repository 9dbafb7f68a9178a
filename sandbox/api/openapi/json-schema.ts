import type { ChoiceRule, FieldRule, ObjectRule } from '../../../src/contract/field-rules';

/** A part of a JSON document. */
export type Json = Readonly<Record<string, unknown>>;

/** What a rule of the contract says, in JSON schema. */
export function jsonSchemaOf({ isNullable, ...rule }: FieldRule): Json {
  const schema = valueSchemaOf(rule);
  if (isNullable !== true) return schema;
  const { type, ...rest } = schema;
  const isPlain = Object.keys(rest).length === 0;
  return isPlain ? { type: [type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

function valueSchemaOf(rule: FieldRule): Json {
  switch (rule.type) {
    case 'object':
      return objectSchemaOf(rule);
    case 'choice':
      return choiceSchemaOf(rule);
    case 'number': {
      const { type, minimum, maximum, maxDecimals } = rule;
      const multipleOf = maxDecimals === undefined ? undefined : 10 ** -maxDecimals;
      return given({ type, minimum, maximum, multipleOf });
    }
    case 'string': {
      const { type, maxLength, form: { format, minLength, pattern } = {} } = rule;
      return given({ type, minLength, maxLength, format, pattern });
    }
    case 'boolean':
      return { type: rule.type };
  }
}

function objectSchemaOf({ type, members }: ObjectRule): Json {
  const fields = Object.entries(members);
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, jsonSchemaOf(field)]));
  const required = fields.filter(([, field]) => field.isOptional !== true).map(([name]) => name);
  return given({ type, properties, required: required.length > 0 ? required : undefined });
}

function choiceSchemaOf({ values }: ChoiceRule): Json {
  const [first, ...others] = values;
  return others.length === 0 ? { type: typeof first, const: first } : { type: typeof first, enum: values };
}

/** Without the members that are not given. */
const given = (members: Json): Json =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined));
