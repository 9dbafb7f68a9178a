import { defined } from '../../src/contract/values/json';
import { optional, type FieldRule, type ObjectRule, type ChoiceRule } from '../../src/contract/field-rules';
import { REQUEST_FIELDS, oneOf } from '../../src/contract/request-fields';

/**
 * Returns the JSON schema of the create request, for the sandbox's OpenAPI document and `dist/schema`. The schema is an `anyOf`: one schema
 * for each kind of session, and one for a guaranteed e-Transfer. So it can show most rules that concern several fields. The schema is
 * documentation only. The sandbox checks requests with `validateAsService`.
 */
export function requestSchema({ guaranteeOptional }: { readonly guaranteeOptional: boolean }): Json {
  const guarantee = guaranteed(false);
  return {
    anyOf: [
      kind(
        'Regular EFT',
        { type: oneOf('EFT'), direction: oneOf('DEBIT'), options: optionsWith(guarantee) },
        { referenceId: orNull({ type: 'string', pattern: '^[a-zA-Z0-9-]{1,36}$' }), payee: { type: 'null' } },
      ),
      {
        ...kind('Guaranteed EFT', {
          type: oneOf('EFT'),
          direction: oneOf('DEBIT'),
          options: optionsWith(guaranteed(true)),
          payor: payorWithAddress,
        }),
        description: 'Without a payee, the client needs a settlement account.',
      },
      kind('e-Transfer', {
        type: oneOf('e-Transfer'),
        options: optionsWith(guaranteeOptional ? optional(guarantee) : guarantee),
      }),
      kind('Guaranteed e-Transfer', {
        type: oneOf('e-Transfer'),
        options: optionsWith(guaranteed(true)),
        payor: payorWithAddress,
      }),
    ],
  };
}

const { options, payor } = REQUEST_FIELDS.members;

const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: 'null' }] });

/** The `referenceId` of every kind except a regular EFT (contract rule A38 in docs/contract.md). */
const REFERENCE = { referenceId: orNull({ type: 'string', minLength: 1, maxLength: 100 }) };

/**
 * Returns the request's schema for one kind of session. `rules` replaces the rules of some members, and `shown` replaces the schemas of
 * other members.
 */
function kind(title: string, rules: ObjectRule['members'], shown: Json = REFERENCE): Json {
  const schema = jsonSchemaOf(withMembers(REQUEST_FIELDS, rules));
  return { ...schema, properties: { ...(schema['properties'] as Json), ...shown }, title };
}

const withMembers = ({ type, members }: ObjectRule, others: ObjectRule['members']): ObjectRule => ({
  type,
  members: { ...members, ...others },
});

const optionsWith = (guarantee: FieldRule): ObjectRule => withMembers(options, { guarantee });

const { isNullable, isOptional, ...address } = payor.members.address;
const payorWithAddress = withMembers(payor, { address });

const guaranteed = (enable: boolean): ObjectRule => ({ type: 'object', members: { enable: oneOf(enable) } });

/** A part of a JSON document. */
export type Json = Readonly<Record<string, unknown>>;

/** Returns a rule of the contract as a JSON schema. */
function jsonSchemaOf({ isNullable, ...rule }: FieldRule): Json {
  const schema = valueSchemaOf(rule);
  if (isNullable !== true) return schema;
  const { type, ...rest } = schema;
  const isPlain = Object.keys(rest).length === 0;
  return isPlain ? { type: [type, 'null'] } : orNull(schema);
}

function valueSchemaOf(rule: FieldRule): Json {
  switch (rule.type) {
    case 'object':
      return objectSchemaOf(rule);
    case 'choice':
      return choiceSchemaOf(rule);
    case 'number': {
      const { type, minimum, maximum, maxDecimals } = rule;
      // Not `multipleOf`: validators divide floating-point numbers, so most of them find that 19.99 is not a multiple of 0.01.
      const description = maxDecimals === undefined ? undefined : `at most ${maxDecimals} decimals`;
      return defined({ type, minimum, maximum, description });
    }
    case 'string': {
      const { type, maxLength, form: { format, minLength, pattern } = {} } = rule;
      return defined({ type, minLength, maxLength, format, pattern });
    }
    case 'boolean':
      return { type: rule.type };
  }
}

function objectSchemaOf({ type, members }: ObjectRule): Json {
  const fields = Object.entries(members);
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, jsonSchemaOf(field)]));
  const required = fields.filter(([, field]) => field.isOptional !== true).map(([name]) => name);
  return defined({ type, properties, required: required.length > 0 ? required : undefined });
}

function choiceSchemaOf({ values }: ChoiceRule): Json {
  const [first, ...others] = values;
  return others.length === 0 ? { type: typeof first, const: first } : { type: typeof first, enum: values };
}
