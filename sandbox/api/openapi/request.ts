import { optional, type FieldRule, type ObjectRule } from '../../../src/contract/field-rules';
import { REQUEST_FIELDS, oneOf } from '../../../src/contract/request-fields';
import { jsonSchemaOf, type Json } from './json-schema';

/**
 * The creation request as the document shows it: one schema for each kind, so that most of the rules that join several
 * fields can be seen. Requests are checked with `validateSessionRequest`; these are for reading and for fuzzing.
 */
export function requestSchema({ guaranteeOptional }: { readonly guaranteeOptional: boolean }): Json {
  const guarantee = guaranteed(false);
  return {
    anyOf: [
      kind(
        'Regular EFT',
        { type: oneOf('EFT'), direction: oneOf('DEBIT'), options: optionsWith(guaranteed(false)) },
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

/** The reference of all kinds but regular EFT (contract A38). */
const REFERENCE = { referenceId: orNull({ type: 'string', minLength: 1, maxLength: 100 }) };

/** The schema of a kind: some members by rules of its own, and some as they are to be shown. */
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
