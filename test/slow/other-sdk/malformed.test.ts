import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Payload } from '@temporalio/common';
import { jsonPayload as json, rawCalls, typeOf } from '../../support/raw-calls';
import { completing, eft, leftOpen } from '../../support/requests';
import { stateOf, until } from '../../support/wait';
import { useWorld } from '../../support/worlds/use-world';

const world = useWorld();
const calls = rawCalls(world);

/** The length of a very large text. Temporal itself refuses calls above two megabytes. */
const HUGE = 900_000;
const hugeText = JSON.stringify('x'.repeat(HUGE));

/** Arguments that programs with other SDKs may send, some of them by mistake. */
const MALFORMED: readonly (readonly [string, Payload])[] = [
  ['a text', json('"x"')],
  ['a number', json('7')],
  ['an array', json('[1]')],
  ['a huge text', json(hugeText)],
  ['text that is no JSON', json('{not json')],
  ['no bytes', json('')],
  ['bytes of an unknown encoding', json('\u0000\u0001', 'binary/unknown')],
  ['protobuf', json('{}', 'json/protobuf')],
  ['plain bytes', json('abc', 'binary/plain')],
  ['no metadata', { data: Buffer.from('{}') }],
  ['nothing at all', {}],
];

const newKey = () => `raw-${randomUUID()}`;
const input = (changes: object = {}) => json(JSON.stringify({ ...world.input(eft()), ...changes }));
const request = (changes: object) => ({ request: { ...eft(), ...changes } });

async function start(args: readonly Payload[], key = newKey()): Promise<string> {
  const workflowId = `payment-session/${key}`;
  await calls.start({ workflowId, input: args });
  return workflowId;
}

async function open(): Promise<string> {
  const { key, ...rest } = world.input(leftOpen());
  const session = await world.sessions.start({ key, ...rest });
  await stateOf(session, ({ phase }) => phase === 'open');
  return session.workflowId;
}

async function endOf(workflowId: string): Promise<unknown> {
  const outcome = await calls.result(workflowId);
  if ('failure' in outcome) throw outcome.failure;
  return JSON.parse(outcome.answer);
}

describe('a start with a malformed input fails with INVALID_INPUT', () => {
  test.each([
    ['no argument', []],
    ['null', [json('null')]],
    ...MALFORMED.map(([name, arg]) => [name, [arg]]),
  ] as [string, Payload[]][])('%s', async (_name, args) => {
    const workflowId = await start(args);
    expect(typeOf(await calls.result(workflowId))).toBe('INVALID_INPUT');
    expect(await calls.failedTasks(workflowId)).toBe(0);
  });

  test.each([
    ['no key', { key: undefined }],
    ['a key that is a step of a path', { key: '..' }],
    ['a huge key', { key: 'k'.repeat(HUGE) }],
    ['an account of the wrong type', { account: {} }],
    ['no request', { request: null }],
    ['a request of the wrong type', { request: [] }],
    ['no options', request({ options: undefined })],
    ['no payor', request({ payor: null })],
    ['a reference of the wrong type', request({ referenceId: { a: 1 } })],
    ['a long reference', request({ referenceId: 'r'.repeat(10_000) })],
    ['a huge reference', request({ referenceId: 'r'.repeat(HUGE) })],
    ['an amount of the wrong type', request({ amount: '25' })],
    [
      'a huge name',
      request({ payor: { firstName: 'n'.repeat(HUGE), lastName: 'n', email: 'n@example.com' } }),
    ],
    ['a misspelt field of the request', request({ amont: 25 })],
    ['a misspelt field of a part of the request', request({ options: { ...eft().options, guarante: {} } })],
    ['a policy of the wrong type', { policy: 'quick' }],
    ['a policy with a malformed duration', { policy: { deadline: 'soon' } }],
    ['a policy with a duration of the wrong type', { policy: { fastestPoll: {} } }],
    ['a policy with an unknown field', { policy: { deadlne: '2h' } }],
    ['an unknown field', { polcy: {} }],
    ['a key with a control character', { key: 'a\u0000b' }],
    ['a key with half a character', { key: 'a\ud83c' }],
    ['an account with a line separator', { account: 'a\u2028b' }],
    ['a request of more than 64 KiB in bytes', request({ note: '\u{1F341}'.repeat(16_400) })],
  ])('%s', async (_name, changes) => {
    const workflowId = await start([input(changes)]);
    expect(typeOf(await calls.result(workflowId))).toBe('INVALID_INPUT');
    expect(await calls.failedTasks(workflowId)).toBe(0);
  });

  const deep = (open: string, close: string, levels: number) =>
    `{"key":"k","request":{"deep":${open.repeat(levels)}1${close.repeat(levels)}}}`;

  test.each([
    ['25,000 arrays', deep('[', ']', 25_000)],
    ['50,000 objects', deep('{"a":', '}', 50_000)],
    ['10,000 objects', deep('{"a":', '}', 10_000)],
    ['33 arrays', deep('[', ']', 33)],
  ])('nested %s deep', async (_name, text) => {
    const workflowId = await start([json(text)]);
    expect(typeOf(await calls.result(workflowId))).toBe('INVALID_INPUT');
    expect(await calls.failedTasks(workflowId)).toBe(0);
  });

  test('and the message lists every mistake', async () => {
    const workflowId = await start([input({ key: 'a\nb', policy: { deadlne: '2h' } })]);
    const outcome = await calls.result(workflowId);
    const { message } = 'failure' in outcome ? outcome.failure : { message: '' };
    expect(message).toContain('key must not contain control characters');
    expect(message).toContain('policy.deadlne is not a field of policy; did you mean deadline?');
  });

  test('but a start with a key of 200 emoji succeeds, and the session can be read and cancelled', async () => {
    const key = `${randomUUID()}${'\u{1F341}'.repeat(164)}`;
    const workflowId = `payment-session/${key}`;
    await calls.start({
      workflowId,
      input: [input({ ...request({ referenceId: 'sandbox-stays-initiated' }), key })],
    });
    const session = world.sessions.get(key);
    await stateOf(session, ({ phase }) => phase === 'open');
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  });

  test('or with INVALID_REQUEST if only the payment request is invalid', async () => {
    const key = newKey();
    const workflowId = await start([input({ key, ...request({ amount: 0, type: 'Cash' }) })], key);
    expect(typeOf(await calls.result(workflowId))).toBe('INVALID_REQUEST');
  });

  test.concurrent.each(MALFORMED)('but arguments after the input are ignored: %s', async (_name, extra) => {
    const key = newKey();
    const asked = input({ key, ...request({ referenceId: 'sandbox-completes' }) });
    const workflowId = await start([asked, extra, extra], key);
    expect(await endOf(workflowId)).toMatchObject({ status: 'Completed' });
    expect(await calls.failedTasks(workflowId)).toBe(0);
  });

  test('but an encrypted input waits for a worker that has the key', async () => {
    const workflowId = await start([json('…', 'binary/encrypted')]);
    const handle = world.client.workflow.getHandle(workflowId);
    await until(
      () => calls.failedTasks(workflowId),
      (failed) => failed > 0,
    );
    expect((await handle.describe()).status.name).toBe('RUNNING');
    await handle.terminate();
  });
});

describe('a cancel signal with any content', () => {
  test.concurrent.each([['null', json('null')] as const, ...MALFORMED])(
    'cancels the session: %s',
    async (_name, arg) => {
      const workflowId = await open();
      await calls.signal(workflowId, 'cancel', [arg, arg]);
      expect(await endOf(workflowId)).toMatchObject({ status: 'Cancelled', cancel: { by: 'caller' } });
      expect(await calls.failedTasks(workflowId)).toBe(0);
    },
  );

  test('records the valid parts of the name and the reason', async () => {
    const workflowId = await open();
    const argument = json(JSON.stringify({ by: 'avery', reason: 'r'.repeat(501), ticket: 7 }));
    await calls.signal(workflowId, 'cancel', [argument]);
    const decided = { decision: 'cancel', by: 'avery', result: 'cancelled', at: expect.any(String) };
    expect(await endOf(workflowId)).toMatchObject({ decisions: [decided] });
  });

  test.concurrent.each(['{}', '{"by":7}', `{"by":${hugeText}}`, '{"by":null,"reason":null}'])(
    'cancels, and records no name if it has none: %.30s',
    async (argument) => {
      const workflowId = await open();
      await calls.signal(workflowId, 'cancel', [json(argument)]);
      expect(await endOf(workflowId)).toMatchObject({ status: 'Cancelled', decisions: [] });
      expect(await calls.failedTasks(workflowId)).toBe(0);
    },
  );

  test('cancels a session whose workflow has not run yet', async () => {
    const workflowId = `payment-session/raw-${randomUUID()}`;
    await world.stopWorker();
    await calls.start({ workflowId, input: [input()] });
    await calls.signal(workflowId, 'cancel', [json('{not json')]);
    await world.startWorker();
    expect(await endOf(workflowId)).toMatchObject({
      status: 'Cancelled',
      cancel: { outcome: 'neverCreated' },
    });
  });
});

describe('a session with an unknown message', () => {
  test('does not change, and answers a query with arguments', async () => {
    const workflowId = await open();
    for (const [, arg] of MALFORMED) {
      await calls.signal(workflowId, 'no-such-signal', [arg]);
      expect(JSON.parse(await calls.query(workflowId, 'state', [arg]))).toMatchObject({ phase: 'open' });
      expect(typeOf(await calls.update(workflowId, 'no-such-update', [arg]))).toBeDefined();
      await expect(calls.query(workflowId, 'no-such-query', [arg])).rejects.toThrow();
    }
    expect(await calls.failedTasks(workflowId)).toBe(0);
    expect(await calls.update(workflowId, 'cancelAndWait')).toHaveProperty('answer');
  });
});

describe('a malformed update is rejected with INVALID_INPUT', () => {
  test.each(['awaitOpened', 'cancelAndWait', 'refresh', 'recordReveal'])(
    'if %s gets an argument',
    async (name) => {
      const workflowId = await open();
      const unlawful = ['{"by":""}', '{"reason":7}', '{"because":"x"}', `{"by":${hugeText}}`];
      const malformed = [...MALFORMED.map(([, arg]) => arg), ...unlawful.map((text) => json(text))];
      for (const arg of malformed) {
        expect(typeOf(await calls.update(workflowId, name, [arg]))).toBe('INVALID_INPUT');
        expect(typeOf(await calls.update(workflowId, name, [json('null'), arg]))).toBe('INVALID_INPUT');
      }
      expect(await calls.failedTasks(workflowId)).toBe(0);
      const answer = await calls.update(workflowId, name, [json('null')]);
      expect(answer).toHaveProperty('answer');
      if (name !== 'cancelAndWait') await calls.signal(workflowId, 'cancel');
      expect(await endOf(workflowId)).toMatchObject({ status: 'Cancelled' });
    },
  );

  test('if it is resolveCreate or previewAdopt', async () => {
    world.sandbox.failNext('create', { kind: 'status', status: 500 });
    const parked = { ...world.input(completing(), { onUnknownCreate: 'park' }) };
    const session = await world.sessions.start(parked);
    await stateOf(session, ({ phase }) => phase === 'parked');
    const answers = [
      'null',
      '{}',
      '{"retry":false}',
      '{"retry":true,"abandon":true}',
      '{"sessionId":7}',
      '{"sessionId":"not-a-uuid"}',
      '{"sessionId":"../../x"}',
      '{"retry":true,"because":"x"}',
      '{"retry":true,"by":""}',
      `{"retry":true,"reason":"${'r'.repeat(501)}"}`,
      `{"retry":${'['.repeat(25_000)}${']'.repeat(25_000)}}`,
    ];
    const malformed = [
      [],
      ...answers.map((answer) => [json(answer)]),
      [json(`{"sessionId":${hugeText}}`)],
      ...MALFORMED.map(([, arg]) => [arg]),
      ...MALFORMED.map(([, arg]) => [json('{"retry":true}'), arg]),
    ];
    for (const args of malformed) {
      expect(typeOf(await calls.update(session.workflowId, 'resolveCreate', args))).toBe('INVALID_INPUT');
    }
    const previews = [
      'null',
      '{}',
      '"text"',
      '{"sessionId":7}',
      '{"sessionId":"../../x"}',
      `{"sessionId":${hugeText}}`,
    ];
    const id = '"sessionId":"3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1"';
    const malformedPreviews = [
      [],
      ...[...previews, `{${id},"because":"x"}`].map((preview) => [json(preview)]),
      ...MALFORMED.map(([, arg]) => [arg]),
      ...MALFORMED.map(([, arg]) => [json(`{${id}}`), arg]),
    ];
    for (const args of malformedPreviews) {
      expect(typeOf(await calls.update(session.workflowId, 'previewAdopt', args))).toBe('INVALID_INPUT');
    }
    expect(await calls.update(session.workflowId, 'previewAdopt', [json(`{${id}}`)])).toHaveProperty(
      'answer',
    );
    expect(await session.state()).toMatchObject({ phase: 'parked' });
    expect(
      await calls.update(session.workflowId, 'resolveCreate', [json('{"retry":true,"by":"Avery"}')]),
    ).toHaveProperty('answer');
    expect(await session.result()).toMatchObject({ status: 'Completed' });
    expect(await calls.failedTasks(session.workflowId)).toBe(0);
  });
});
