// Writes dist/schema: the start input, the state and the result of a session as JSON Schemas, for programs in other
// languages.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';
import openApiRequest from '../dist/sandbox/api/openapi-request.js';
import durations from '../dist/src/protocol/duration.js';
import rules from '../dist/src/protocol/input.js';
import metadataRules from '../dist/src/protocol/metadata.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = `${root}dist/schema/`;

const generator = createGenerator({
  path: `${root}src/protocol/state/session.ts`,
  tsconfig: `${root}tsconfig.json`,
  topRef: false,
  skipTypeCheck: true,
});

mkdirSync(folder, { recursive: true });
write('session-input', inputSchema());
// These schemas allow further fields, because a newer worker may report fields that this version does not know.
write('session-state', opened(schemaOf('SessionState')));
write('session-result', opened(schemaOf('SessionResult')));

/** Returns the schema of the start input. Adds rules that the types of some fields cannot express. */
function inputSchema() {
  const schema = schemaOf('PaymentSessionInput');
  const { key, account, request, policy, metadata } = schema.properties;
  const { SessionPolicy, Duration, Metadata } = schema.$defs;
  const { MAX_METADATA, MAX_VALUE_LENGTH, MAX_SEARCHABLE, NAME } = metadataRules;
  const name = { pattern: NAME.source };
  const searchable = SessionPolicy.properties.searchableMetadata;
  Object.assign(searchable, { items: { ...searchable.items, ...name }, maxItems: MAX_SEARCHABLE });
  return {
    ...schema,
    properties: {
      key: { ...key, minLength: 1, maxLength: rules.MAX_KEY_LENGTH },
      request: {
        description: request.description,
        ...openApiRequest.requestSchema({ guaranteeOptional: false }),
      },
      account: { ...account, minLength: 1, maxLength: rules.MAX_ACCOUNT_LENGTH },
      policy,
      metadata,
    },
    $defs: {
      SessionPolicy,
      Metadata: {
        ...Metadata,
        propertyNames: name,
        additionalProperties: { type: 'string', maxLength: MAX_VALUE_LENGTH },
        maxProperties: MAX_METADATA,
      },
      Duration: { ...Duration, pattern: durations.DURATION_FORM.source },
    },
  };
}

/** Returns a type's schema in draft 2020-12. */
function schemaOf(type) {
  const text = JSON.stringify(generator.createSchema(type)).replaceAll('"#/definitions/', '"#/$defs/');
  const { definitions: $defs, ...schema } = withoutWords(JSON.parse(text));
  return { ...schema, $schema: 'https://json-schema.org/draft/2020-12/schema', title: type, $defs };
}

/** Removes defaults that are descriptions and not values. */
function withoutWords(schema) {
  return without(schema, (name, value) => name === 'default' && /\s/.test(value));
}

function opened(schema) {
  return without(schema, (name, value) => name === 'additionalProperties' && value === false);
}

/** Returns a copy without the members for which `isLeftOut` returns true. */
function without(schema, isLeftOut) {
  return JSON.parse(JSON.stringify(schema), (name, value) => (isLeftOut(name, value) ? undefined : value));
}

function write(name, schema) {
  writeFileSync(`${folder}${name}.json`, `${JSON.stringify(schema, undefined, 2)}\n`);
}
