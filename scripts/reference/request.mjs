import { fetch } from 'undici';
import sandboxModule from '../../dist/sandbox/index.js';
import { code, page, table } from './markdown.mjs';
import { typesOf } from './types.mjs';

const { components } = await openApiDocument();
const documented = typesOf('src/contract/session-request.ts').fieldsByPath('SessionRequestFields');

const NAMES = { string: 'text', number: 'number', boolean: 'true or false', object: 'object' };
const FORMS = { email: 'email address', uri: 'absolute http or https URI' };

/** The fields by their paths, each with its possible values in each kind of session. */
const fields = new Map();
for (const kind of components.schemas.SessionRequest.anyOf) collect(kind, '', kind.title);
const parents = [...fields.keys()].map(parentOf);
// A field that only some kinds have is found last. The sort moves it to the fields of its parent.
const rows = [...fields].sort(([a], [b]) => parents.indexOf(parentOf(a)) - parents.indexOf(parentOf(b)));

export const requestPage = page(
  'Request fields',
  'The fields of `request` in a session’s input. It is the payment service’s session creation request, and a worker sends it unchanged. A required field of an optional object is required only if the object is present. Lengths count Unicode code points. The payment service ignores fields that are not listed. But paysession refuses `metadata` here, and a field whose name is close to a listed one, such as `amont`. `npx paysession sandbox` serves these rules as an OpenAPI document at `/openapi.json`. The [contract](../contract.md) has every rule.',
  table(rows, [
    ['Field', ([path]) => code(path)],
    ['Required', ([, byKind]) => byKinds(byKind, ({ required }) => (required ? 'yes' : 'no'), 'no')],
    ['Type and limits', ([, byKind]) => byKinds(byKind, ({ limits }) => limits)],
    ['Default', ([path]) => defaultOf(documented.get(path)?.default)],
    ['Meaning', ([path]) => documented.get(path)?.doc],
  ]),
);

/** Formats a value as code, and leaves words unchanged. */
function defaultOf(text = '') {
  return /^\S+$/.test(text) ? code(text.replaceAll("'", '')) : text;
}

/** Returns the top-level field of the request with which a path begins. */
function parentOf(path) {
  return path.split('.')[0];
}

/** Returns the document that the sandbox serves. */
async function openApiDocument() {
  const sandbox = sandboxModule.createSandbox();
  try {
    const { url } = await sandbox.listen();
    return /** @type {any} */ (await (await fetch(`${url}/openapi.json`)).json());
  } finally {
    await sandbox.close();
  }
}

function collect(schema, prefix, kind) {
  for (const [name, property] of Object.entries(schema.properties)) {
    const path = `${prefix}${name}`;
    const { value, isNullable } = withoutNull(property);
    const required = schema.required?.includes(name) === true;
    const limits = limitsOf(value) + (isNullable ? ', or null' : '');
    fields.set(path, [...(fields.get(path) ?? []), { kind, required, limits }]);
    if (value.properties !== undefined) collect(value, `${path}.`, kind);
  }
}

/** Returns a schema without the null that it may allow. */
function withoutNull(schema) {
  if (schema.anyOf !== undefined) {
    const [value] = schema.anyOf.filter(({ type }) => type !== 'null');
    return { value, isNullable: true };
  }
  if (!Array.isArray(schema.type)) return { value: schema, isNullable: false };
  return { value: { ...schema, type: schema.type[0] }, isNullable: true };
}

/** Returns a text once if it is the same for all kinds. Otherwise, returns each text with its kinds. */
function byKinds(byKind, textOf, nothing = '') {
  const texts = [...new Set(byKind.map(textOf))];
  if (texts.length === 1) return texts[0];
  const kindsWith = (text) => byKind.filter((field) => textOf(field) === text).map(({ kind }) => kind);
  return texts.map((text) => `${kindsWith(text).join(', ')}: ${text || nothing}`).join('; ');
}

function limitsOf({ type, enum: values, const: only, format, pattern, minLength, maxLength, ...bounds }) {
  if (type === 'null') return 'absent or null';
  if (only !== undefined) return code(String(only));
  if (values !== undefined) return values.map((value) => code(String(value))).join(', ');
  const form = FORMS[format] ?? formOf(pattern);
  const length =
    maxLength === undefined
      ? ''
      : `${minLength ?? 'at most'}${minLength === undefined ? '' : ' to'} ${maxLength} characters`;
  return [form ?? NAMES[type], length, ...numberLimits(bounds)].filter((part) => part !== '').join(', ');
}

function formOf(pattern) {
  if (pattern === undefined) return undefined;
  if (pattern === '\\S') return 'text that is not blank';
  const [, shortest, longest] = /^\^\[0-9\]\{(\d+),(\d+)\}\$$/.exec(pattern) ?? [];
  if (shortest === undefined) return `text as ${code(pattern)}`;
  return shortest === longest ? `${longest} digits` : `${shortest} to ${longest} digits`;
}

/** @param {{ minimum?: number, maximum?: number, description?: string }} bounds */
function numberLimits({ minimum, maximum, description = '' }) {
  return [
    minimum === undefined ? '' : `at least ${minimum}`,
    maximum === undefined ? '' : `at most ${maximum}`,
    description,
  ];
}
