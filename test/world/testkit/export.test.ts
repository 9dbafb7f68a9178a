import { hostname } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import type { Payload, PayloadCodec } from '@temporalio/common';
import type { Field, Type } from 'protobufjs';
import { exportSession, parseHistory, replayHistories } from '../../../testkit';
import { Fakes } from '../../../testkit/histories/fakes';
import { sanitizeHistory, sanitize } from '../../../testkit/histories/sanitize-history';
import { HISTORY, historyFromJson } from '../../../testkit/histories/history-json';
import { ABOUT_TO_SEND, ABOUT_TO_SEND_ON_LEDGER } from '../../../src/protocol/names';
import { testBundle } from '../../support/setup/global-values';
import { usePaymentWorld } from '../../support/worlds/payment-world';
import { geft, leftOpen } from '../../support/requests';
import { until } from '../../support/wait';

const bundlePath = testBundle();

const PERSONAL = {
  firstName: 'Wilhelmina',
  lastName: 'Featherstone',
  email: 'mina@featherstone.example',
  occupation: 'lighthouse keeper',
  birthDate: '81-07-23',
};
const ACCOUNT = { accountNumber: '987650123', transitNumber: '54321', institutionCode: '867' };
const DECIDED_BY = { by: 'Ottoline', reason: 'Quartermaine has asked' };
const METADATA = { customer: 'cus_mina', shop: 'Featherlight', note: 'Call Wilhelmina', account: 'default' };
const KEY = 'order-of-wilhelmina';

const world = usePaymentWorld({}, openOne);
let sessionId: string;

async function openOne(): Promise<void> {
  const base = geft('client-77-featherstone');
  const request = { ...base, payor: { ...base.payor, ...PERSONAL }, payee: { account: ACCOUNT } };
  const policy = { searchableMetadata: ['customer', 'shop', 'account'] };
  const opened = await world.sessions.open({ key: KEY, request, metadata: METADATA, policy });
  sessionId = opened.sessionId;
  await opened.session.recordReveal(DECIDED_BY);
  await world.payor(sessionId).completes();
  await opened.session.result();
}

/** Returns a JSON history in which the payloads are decoded to plain text. */
function textOf(json: string): string {
  return json.replace(/"data": "([^"]*)"/g, (_member, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );
}

async function exportOne(seed?: string): Promise<string> {
  const [run, ...others] = await exportSession(world.client, KEY, seed === undefined ? {} : { seed });
  if (run === undefined || others.length > 0) throw new Error('a session has one run');
  expect(run.fileName).toMatch(/^[0-9a-f-]{36}\.json$/);
  return run.json;
}

// `exportSession` writes a session’s workflow history to a file that can be passed on. It replaces texts by made-up ones
// (“fakes”) where they may be personal data or name this machine.

describe('an exported history', () => {
  test('contains no personal data and no name of this machine', async () => {
    const text = textOf(await exportOne('seed'));
    const { addressLine1, city, postalCode } = geft().payor.address;
    const { accountNumber, ...fewDigits } = ACCOUNT;
    const personal = [
      ...Object.values({ ...PERSONAL, accountNumber, ...DECIDED_BY, addressLine1, city, postalCode }),
      ...Object.values({ customer: METADATA.customer, shop: METADATA.shop, note: METADATA.note }),
      ...[KEY, 'client-77', 'featherstone', sessionId, `@${hostname()}`, '127.0.0.1'],
    ];
    for (const value of personal) expect(text).not.toContain(value);
    // Numbers, times and ids may contain these few digits by chance. So the test searches for them as whole words.
    for (const digits of [...Object.values(fewDigits), process.pid])
      expect(text).not.toMatch(new RegExp(`(?<![\\w.])${digits}(?!\\w)`));
    expect(text).toContain('"status":"Completed"');
    expect(text).toContain('"decision":"reveal"');
    expect(text).toContain('"code":"EFT0301"');
    expect(text).toMatch(/"postalCode":"[A-Z]\d[A-Z]\d[A-Z]\d"/);
  });

  test('replays in each alphabetical order of the fakes', async () => {
    const seeds = ['1', '2', '3', '4'];
    const searchable = seeds.map((seed) => ['customer', 'shop'].map((name) => new Fakes(seed).text(name)));
    expect(new Set(searchable.map((fakes) => fakes.join() === fakes.sort().join())).size).toBe(2);
    const exported = await Promise.all(seeds.map((seed) => exportOne(seed)));
    const recorded = exported.map((json, index) => parseHistory(`exported-${index}`, JSON.parse(json)));
    expect(await replayHistories(recorded, { bundlePath })).toEqual({
      replayed: seeds.length,
      untouched: [],
      divergences: [],
    });
  });

  test('has the same fakes as another export with the same seed', async () => {
    const json = await exportOne('seed');
    expect(await exportOne('seed')).toBe(json);
    expect(await exportOne()).not.toBe(json);
    const fake = new Fakes('seed').text(sessionId);
    expect(fake).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(textOf(json)).toContain(`https://pay.example/app/?sessionId=${fake}`.replace('https', 'http'));
    expect(textOf(json)).toContain(`"sessionId":"${fake}"`);
  });
});

test('an exported history replays if a caller followed the session and a person cancelled it', async () => {
  const key = 'followed';
  const { session } = await world.sessions.open({ key, request: leftOpen() });
  const updates = async () => {
    const { events } = await world.client.workflow.getHandle(session.workflowId).fetchHistory();
    return events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes != null).length;
  };
  const phases: string[] = [];
  const followed = (async () => {
    for await (const { phase } of session.changes()) phases.push(phase);
  })();
  await until(updates, (count) => count === 2);
  const cancel = world.sandbox.hold('cancel', 'before');
  await session.cancel(DECIDED_BY);
  await cancel.reached;
  await until(updates, (count) => count === 3);
  cancel.release();
  await session.result();
  await followed;
  expect(phases).toContain('cancelling');
  const [run] = await exportSession(world.client, key);
  for (const value of Object.values(DECIDED_BY)) expect(textOf(run?.json ?? '')).not.toContain(value);
  const recorded = parseHistory(key, JSON.parse(run?.json ?? ''));
  expect(await replayHistories([recorded], { bundlePath })).toMatchObject({ replayed: 1, divergences: [] });
});

const CANARY = 'Wilhelmina Featherstone';
const CANARY_NUMBER = 4165550123;

/** Returns a payload with a canary as name, text and number, also in fields such as `status` that usually have harmless texts. */
const canaryPayload = (type = 'Keyword') => ({
  metadata: { encoding: base64('json/plain'), type: base64(type) },
  data: base64(
    JSON.stringify({
      [CANARY]: CANARY_NUMBER,
      payor: [{ [CANARY]: CANARY }, CANARY_NUMBER],
      ...Object.fromEntries(
        ['status', 'code', 'type', 'kind', 'outcome', 'source', 'at', 'deadline', 'account', 'province'].map(
          (field) => [field, CANARY],
        ),
      ),
      accountNumber: CANARY_NUMBER,
    }),
  ),
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * Returns a protobuf message with a canary in each text, bytes field and map key. Of the fields of a `oneof`, it sets the one
 * that `choose` selects.
 */
function withCanaries(type: Type, choose: (among: number) => number, depth = 0): object {
  if (type.name === 'Payload') return canaryPayload(CANARY);
  const chosen = type.oneofsArray.map(({ fieldsArray }) => fieldsArray[choose(fieldsArray.length)]);
  const fields = type.fieldsArray.filter((field) => field.partOf === null || chosen.includes(field));
  const values = fields.map((field) => [field.name, canaryIn(field.resolve(), choose, depth)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as object;
}

function canaryIn(field: Field, choose: (among: number) => number, depth: number): unknown {
  const value = canaryOf(field, choose, depth);
  if (value === undefined) return undefined;
  if (field.map) return { [CANARY]: value };
  return field.repeated ? [value] : value;
}

function canaryOf({ type, resolvedType }: Field, choose: (among: number) => number, depth: number): unknown {
  if (type === 'string') return CANARY;
  if (type === 'bytes') return base64(CANARY);
  if (resolvedType === null || !('fields' in resolvedType)) return undefined;
  // In JSON, messages such as google.protobuf.Timestamp are texts.
  if (resolvedType.fullName.startsWith('.google.')) return undefined;
  return depth > 5 ? undefined : withCanaries(resolvedType, choose, depth + 1);
}

describe('an exported history, after an unknown caller has put texts in every place,', () => {
  /** The highest number of fields in a `oneof`, apart from the event’s own: the kinds of a failure. */
  const MOST_ALTERNATIVES = 10;

  test('contains none of them in any text, name or bytes field of any event', async () => {
    const event = (HISTORY as Type).fields['events']?.resolve().resolvedType as Type;
    const variants = event.oneofs['attributes']?.fieldsArray.length ?? 0;
    expect(variants).toBeGreaterThan(50);
    for (let variant = 0; variant < variants; variant += 1) {
      const events = Array.from({ length: MOST_ALTERNATIVES }, (_, inner) =>
        withCanaries(event, (among) => (among === variants ? variant : inner % among)),
      );
      const json = await sanitizeHistory(historyFromJson({ events }), {
        fakes: new Fakes('seed'),
        codecs: [],
      });
      const text = textOf(json);
      const traces = [...CANARY.split(' '), String(CANARY_NUMBER), base64(CANARY)];
      expect(traces.filter((trace) => text.includes(trace))).toEqual([]);
    }
  });

  test('contains none of them if the history is a session’s, and still replays', async () => {
    const key = 'terminated';
    const request = { ...geft(), [CANARY]: { [CANARY]: CANARY_NUMBER } };
    const handle = await world.client.workflow.start('paymentSession', {
      workflowId: `payment-session/${key}`,
      taskQueue: 'payment-sessions',
      args: [{ key, request }],
      memo: { [CANARY]: CANARY },
      staticSummary: CANARY,
    });
    await handle.signal(CANARY, CANARY);
    for (const updateId of [CANARY, `${CANARY}2`, '4', '5'])
      await handle.executeUpdate('refresh', { updateId });
    await handle.terminate(`${CANARY} has died`);
    const [run] = await exportSession(world.client, key);
    const text = textOf(run?.json ?? '');
    for (const trace of [...CANARY.split(' '), String(CANARY_NUMBER)]) expect(text).not.toContain(trace);
    const recorded = parseHistory('terminated', JSON.parse(run?.json ?? ''));
    expect(await replayHistories([recorded], { bundlePath })).toMatchObject({ replayed: 1, divergences: [] });
  });

  test('still contains the session’s own texts, such as its status', () => {
    const own = {
      status: 'Completed',
      code: 'EFT0301',
      amount: 25,
      stateHistory: [
        { status: 'Initiated', code: 'EFT0101', firstSeenAt: '2026-11-21T14:33:54.792Z', source: 'poll' },
      ],
      trouble: { code: 'SERVICE_FAILED', status: 503 },
      policy: { deadline: '2d', fastestPoll: 100 },
    };
    expect(sanitize(own, 'result', new Fakes('seed'))).toEqual(own);
  });

  test('contains no text from a field that people fill in, even if the text is a word of paysession', () => {
    const written = { payor: { firstName: 'retry', accountNumber: '2d' }, reason: 'cancelled', code: '2d' };
    const text = JSON.stringify(sanitize(written, 'request', new Fakes('seed')));
    for (const word of Object.values({ ...written.payor, ...written }))
      if (typeof word === 'string') expect(text).not.toContain(`"${word}"`);
  });

  test.each([ABOUT_TO_SEND, ABOUT_TO_SEND_ON_LEDGER])(
    'still contains the heartbeat “%s”, which the replay of a lost create request needs',
    (said) => {
      expect(sanitize(said, 'payloads', new Fakes('seed'))).toBe(said);
    },
  );
});

/** Inverts every byte. The test’s codec uses this in place of an encryption. */
const turned = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).map((byte) => byte ^ 0xff);

const CODEC: PayloadCodec = {
  encode: (payloads: Payload[]) =>
    Promise.resolve(
      payloads.map(({ metadata, data }) => ({
        metadata: { encoding: Buffer.from('binary/turned'), was: metadata?.['encoding'] ?? Buffer.from('') },
        data: turned(data),
      })),
    ),
  decode: (payloads: Payload[]) =>
    Promise.resolve(
      payloads.map(({ metadata, data }) => ({
        metadata: { encoding: metadata?.['was'] ?? Buffer.from('') },
        data: turned(data),
      })),
    ),
};

describe('the encoded payloads of an exported history', () => {
  const history = async (value: unknown) => {
    const payload = {
      metadata: { encoding: Buffer.from('json/plain') },
      data: Buffer.from(JSON.stringify(value)),
    };
    const payloads = await CODEC.encode([payload]);
    return { events: [{ eventId: null, workflowExecutionStartedEventAttributes: { input: { payloads } } }] };
  };

  test('are decoded with their codec, and exported as plain text', async () => {
    const encoded = await history({ payor: { firstName: 'Wilhelmina' }, status: 'Initiated' });
    const text = textOf(await sanitizeHistory(encoded, { fakes: new Fakes('seed'), codecs: [CODEC] }));
    expect(text).toMatch(/\{"payor":\{"firstName":"[A-Z][a-z]{9}"\},"status":"Initiated"\}/);
    expect(text).not.toContain('Wilhelmina');
  });

  test('make the export fail if their codec is missing', async () => {
    const encoded = await history({ payor: { firstName: 'Wilhelmina' } });
    await expect(sanitizeHistory(encoded, { fakes: new Fakes('seed'), codecs: [] })).rejects.toMatchObject({
      code: 'HISTORY_UNREADABLE',
      message: expect.stringContaining('binary/turned'),
    });
  });
});
