import { describe, expect, jest, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020';
import { validateSessionRequest } from '../../../src/contract';
import { isRecord } from '../../../src/contract/values/json';
import { DURATION_FORM } from '../../../src/protocol/duration';
import { inputFailures, MAX_ACCOUNT_LENGTH, MAX_KEY_LENGTH, underRequest } from '../../../src/protocol/input';
import { MAX_METADATA, MAX_SEARCHABLE, MAX_VALUE_LENGTH, NAME } from '../../../src/protocol/metadata';
import { readHistories } from '../../../testkit/histories/recorded-history';
import { HISTORIES } from '../../replay/corpus/table';
import { PAYEE_ACCOUNT, eft, eTransfer, geft } from '../../support/requests';
import { guideJson } from '../../support/other-sdk/guide-json';
import { SCENES } from '../../../cli/commands/demo';

type Schema = Readonly<Record<string, unknown>>;

/** The JSON schemas, loaded by the paths that a user of the package imports. */
const SCHEMAS = {
  input: jest.requireActual<Schema>('paysession/schema/session-input.json'),
  state: jest.requireActual<Schema>('paysession/schema/session-state.json'),
  result: jest.requireActual<Schema>('paysession/schema/session-result.json'),
};
type Name = keyof typeof SCHEMAS;
const NAMES = Object.keys(SCHEMAS) as Name[];

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, validateFormats: false });
const check = (schema: Schema) => {
  const validate = ajv.compile(schema);
  return (value: unknown) => (validate(value) ? [] : (validate.errors ?? []));
};
const faults = {
  input: check(SCHEMAS.input),
  state: check(SCHEMAS.state),
  result: check(SCHEMAS.result),
};

/** Returns a stricter copy of the schema: an object may have only the fields that the schema names. */
const closed = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema), (_name, part: unknown) =>
    isRecord(part) && part['type'] === 'object' && isRecord(part['properties'])
      ? { additionalProperties: false, ...part }
      : part,
  ) as Schema;

/** True if the client would start a session with the input. */
const isStarted = (input: unknown): boolean => {
  const ofRequest = (request: unknown) => {
    const checked = validateSessionRequest(request);
    return checked.valid ? [] : checked.failures.map(underRequest);
  };
  return inputFailures(input, ofRequest).length === 0;
};

const withPolicy = (policy: object) => ({ key: 'order-1042', request: eft(), policy });

/** Returns the inputs, states and results in the recorded histories. */
async function recorded(): Promise<Readonly<Record<Name, unknown[]>>> {
  const found: Record<Name, unknown[]> = { input: [], state: [], result: [] };
  for await (const { history } of readHistories([HISTORIES])) {
    for (const event of history.events ?? []) {
      const { workflowExecutionStartedEventAttributes: started } = event;
      const { workflowExecutionCompletedEventAttributes: completed } = event;
      found.input.push(...jsonOf(started?.input?.payloads).slice(0, 1));
      found.result.push(...jsonOf(completed?.result?.payloads));
      const updated = event.workflowExecutionUpdateCompletedEventAttributes?.outcome?.success;
      const failed = event.workflowExecutionFailedEventAttributes?.failure?.applicationFailureInfo?.details;
      found.state.push(...statesIn(jsonOf(updated?.payloads)), ...statesIn(jsonOf(failed?.payloads)));
    }
  }
  return found;
}

interface Stored {
  readonly data?: Uint8Array | null;
}

const jsonOf = (payloads: readonly Stored[] | null | undefined): unknown[] =>
  (payloads ?? []).map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()) as unknown);

/** Returns the states in an update’s answer. The answer may be a state, or contain one. */
function statesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return 'phase' in value ? [value] : Object.values(value).flatMap(statesIn);
}

test('each published JSON schema is valid by draft 2020-12', () => {
  for (const name of NAMES) {
    expect(SCHEMAS[name]['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect([name, ajv.validateSchema(SCHEMAS[name])]).toEqual([name, true]);
  }
});

describe('the published JSON schemas accept', () => {
  test('the guide’s inputs, states and results', () => {
    const guide = {
      input: ['Start', 'Start that parks'],
      state: ['Query `state`', 'State of a parked session'],
      result: ['Result'],
    };
    for (const name of NAMES) {
      for (const label of guide[name]) {
        expect([label, faults[name](JSON.parse(guideJson(label, 'order-1042')))]).toEqual([label, []]);
      }
    }
  });

  test('requests of every kind, without and with all optional fields', () => {
    const policy = { onUnknownCreate: 'park', fastestPoll: 500, slowestPoll: '1.5h', indexReference: false };
    const everything = {
      ...geft('order 1042'),
      amount: 19.99,
      currency: 'CAD',
      payee: { account: { ...PAYEE_ACCOUNT, accountLabel: 'Shop' } },
    };
    for (const request of [eft(), geft(), eTransfer(), everything, ...SCENES.map((scene) => scene.request)]) {
      expect(isStarted({ key: 'k', request, policy })).toBe(true);
      expect(faults.input({ key: 'k', request, account: 'default', policy })).toEqual([]);
    }
  });

  test('keys and accounts up to their maximum lengths, counted in characters', () => {
    const emoji = (length: number) => '\u{1F341}'.repeat(length);
    const input = (longer: number) => ({
      key: emoji(MAX_KEY_LENGTH + longer),
      account: emoji(MAX_ACCOUNT_LENGTH + longer),
      request: eft(),
    });
    expect([isStarted(input(0)), faults.input(input(0))]).toEqual([true, []]);
    const paths = faults.input(input(1)).map(({ instancePath }) => instancePath);
    expect([isStarted(input(1)), paths]).toEqual([false, ['/key', '/account']]);
  });

  test('the same durations as the client', () => {
    const durations = ['90s', '1.5h', '25', 'soon', '-1s', '2 d', '7w'];
    const bySchema = durations.filter((deadline) => faults.input(withPolicy({ deadline })).length === 0);
    expect(bySchema).toEqual(durations.filter((text) => DURATION_FORM.test(text)));
    expect(bySchema).toEqual(durations.filter((deadline) => isStarted(withPolicy({ deadline }))));
  });

  test('the same metadata as the client', () => {
    const input = (metadata: object, searchableMetadata?: readonly string[]) => ({
      ...withPolicy({ searchableMetadata }),
      metadata,
    });
    const named = (count: number) => Array.from({ length: count }, (_, at) => `name${at}`);
    const all = (count: number) => Object.fromEntries(named(count).map((name) => [name, 'x']));
    const right = [
      input(all(MAX_METADATA), named(MAX_SEARCHABLE)),
      input({ long: '\u{1F341}'.repeat(MAX_VALUE_LENGTH) }),
    ];
    const wrong = [
      input(all(MAX_METADATA + 1)),
      input({}, named(MAX_SEARCHABLE + 1)),
      input({ long: '\u{1F341}'.repeat(MAX_VALUE_LENGTH + 1) }),
      input({ count: 7 }),
    ];
    for (const [inputs, isRight] of [
      [right, true],
      [wrong, false],
    ] as const)
      for (const one of inputs)
        expect([isStarted(one), faults.input(JSON.parse(JSON.stringify(one))).length === 0]).toEqual([
          isRight,
          isRight,
        ]);
    const names = ['customer', 'a.b-c_7', '7up', 'order id', 'n'.repeat(41), 'été'];
    const bySchema = names.filter((name) => faults.input(input({ [name]: '' })).length === 0);
    expect(bySchema).toEqual(names.filter((name) => NAME.test(name)));
    expect(bySchema).toEqual(names.filter((name) => faults.input(input({}, [name])).length === 0));
    expect(bySchema).toEqual(names.filter((name) => isStarted(input({ [name]: '' }))));
  });

  test('the inputs, states and results of recorded sessions, without unknown fields in states and results', async () => {
    const { input, state, result } = await recorded();
    const started = input.filter(isStarted);
    expect([started.length, state.length, result.length].map((count) => count > 60)).toEqual([
      true,
      true,
      true,
    ]);
    const strict = { state: check(closed(SCHEMAS.state)), result: check(closed(SCHEMAS.result)) };
    expect(started.flatMap(faults.input)).toEqual([]);
    expect(state.flatMap(strict.state)).toEqual([]);
    expect(result.flatMap(strict.result)).toEqual([]);
  });
});

describe('the published JSON schemas reject a mistake', () => {
  const input = { key: 'order-1042', request: eft() };

  test.each([
    ['an unknown field', { ...input, polcy: {} }],
    ['an unknown field of the policy', { ...input, policy: { deadlne: '2h' } }],
    ['no request', { key: 'order-1042' }],
    ['a key that is no text', { ...input, key: 7 }],
    ['an amount that is no number', { ...input, request: { ...eft(), amount: '25' } }],
    ['an EFT credit', { ...input, request: { ...eft(), direction: 'CREDIT' } }],
    ['a guarantee without an address', { ...input, request: { ...geft(), payor: eft().payor } }],
    ['a payee of a regular EFT', { ...input, request: { ...eft(), payee: { account: PAYEE_ACCOUNT } } }],
    ['a malformed duration', { ...input, policy: { deadline: 'soon' } }],
    ['a duration without its unit', { ...input, policy: { deadline: '25' } }],
    ['another policy', { ...input, policy: { onUnknownCreate: 'guess' } }],
  ])('in an input: %s', (_mistake, wrong) => {
    expect(faults.input(input)).toEqual([]);
    expect(isStarted(wrong)).toBe(false);
    expect(faults.input(wrong)).not.toEqual([]);
  });

  test.each([
    ['state', 'an unknown phase', { phase: 'opened' }],
    ['state', 'no phase', { phase: undefined }],
    ['state', 'an amount that is no number', { amount: '25' }],
    [
      'state',
      'a trouble with an unknown code',
      { trouble: { code: 'OOPS', message: '', since: '', failures: 1 } },
    ],
    ['state', 'anomalies that are no list', { anomalies: {} }],
    ['result', 'paid that is not a boolean', { paid: 'yes' }],
    ['result', 'paid without being completed', { paid: true }],
    ['result', 'no history', { stateHistory: undefined }],
    ['result', 'a history of texts', { stateHistory: ['Initiated'] }],
    ['result', 'a cancel without a requester', { cancel: { requestedAt: '2031-05-06T14:03:21.114Z' } }],
  ] as const)('in a %s: %s', (name, _mistake, changes) => {
    const label = name === 'state' ? 'Query `state`' : 'Result';
    const right = JSON.parse(guideJson(label, 'order-1042')) as object;
    const wrong: unknown = JSON.parse(JSON.stringify({ ...right, ...changes }));
    expect(faults[name](right)).toEqual([]);
    expect(faults[name](wrong)).not.toEqual([]);
  });

  test.each(['state', 'result'] as const)(
    'but accept a field that a newer version adds to a %s; only the stricter copy of the schema rejects it',
    (name) => {
      const label = name === 'state' ? 'Query `state`' : 'Result';
      const newer = { ...(JSON.parse(guideJson(label, 'order-1042')) as object), colour: 'red' };
      expect(faults[name](newer)).toEqual([]);
      expect(check(closed(SCHEMAS[name]))(newer)).not.toEqual([]);
    },
  );
});
