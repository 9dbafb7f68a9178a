import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PayloadCodec } from '@temporalio/common';
import type { Payload } from '@temporalio/common/lib/proto-utils';
import {
  createPaymentWorld,
  exportSession,
  parseHistory,
  replayHistories,
  type PaymentWorld,
} from '../../src/testing';
import { Fakes } from '../../src/testing/export/fakes';
import { sanitizeHistory } from '../../src/testing/export/sanitize-history';
import { testBundle } from '../support/global-values';
import { geft } from '../support/requests';

const bundlePath = testBundle();

const PERSONAL = {
  firstName: 'Wilhelmina',
  lastName: 'Featherstone',
  email: 'mina@featherstone.example',
  occupation: 'lighthouse keeper',
  birthDate: '81-07-23',
};
const ACCOUNT = { accountNumber: '987650123', transitNumber: '54321', institutionCode: '867' };
const KEY = 'order-of-wilhelmina';

let world: PaymentWorld;
let sessionId: string;

beforeAll(async () => {
  world = await createPaymentWorld({ bundlePath });
  const base = geft('client-77-featherstone');
  const request = { ...base, payor: { ...base.payor, ...PERSONAL }, payee: { account: ACCOUNT } };
  const opened = await world.sessions.open({ key: KEY, request });
  sessionId = opened.sessionId;
  await world.payor(sessionId).completes();
  await opened.session.result();
});

afterAll(async () => {
  await world.close();
});

/** Every payload of a JSON history as text, and all that is not a payload. */
function textOf(json: string): string {
  return json.replace(/"data": "([^"]*)"/g, (_member, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );
}

async function exportOne(seed?: string): Promise<string> {
  const [run, ...others] = await exportSession(world.client, KEY, seed === undefined ? {} : { seed });
  if (run === undefined || others.length > 0) throw new Error('a session has one run');
  expect(run.fileName).toMatch(/^[a-z]{5}-[a-z]{2}-[a-z]{10}\.json$/);
  return run.json;
}

describe('an exported history', () => {
  test('holds no personal data and no name of this machine', async () => {
    const text = textOf(await exportOne());
    const { addressLine1, city, postalCode } = geft().payor.address ?? {};
    const personal = [
      ...Object.values({ ...PERSONAL, ...ACCOUNT, addressLine1, city, postalCode }),
      ...[KEY, 'client-77', 'featherstone', sessionId, String(process.pid), '127.0.0.1'],
    ];
    for (const value of personal) expect(text).not.toContain(value);
    expect(text).toContain('"status":"Completed"');
    expect(text).toContain('"code":"EFT0301"');
    expect(text).toMatch(/"postalCode":"[A-Z]\d[A-Z]\d[A-Z]\d"/);
  });

  test('replays as the original does', async () => {
    const recorded = parseHistory('exported', JSON.parse(await exportOne()));
    expect(await replayHistories([recorded], { bundlePath })).toEqual({
      replayed: 1,
      untouched: [],
      divergences: [],
    });
  });

  test('has the same fake for the same text: everywhere in it, and in every export with the same seed', async () => {
    const json = await exportOne('seed');
    expect(await exportOne('seed')).toBe(json);
    expect(await exportOne()).not.toBe(json);
    const fake = new Fakes('seed').text(sessionId);
    expect(fake).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(textOf(json)).toContain(`https://pay.example/app/?sessionId=${fake}`.replace('https', 'http'));
    expect(textOf(json)).toContain(`"sessionId":"${fake}"`);
  });
});

describe('fakes have the shape of what they stand for', () => {
  const fakes = new Fakes('seed');
  test.each([
    ['Avery', /^[A-Z][a-z]{4}$/],
    ['Zoë Müller-Ng', /^[A-Z][a-z]{2} [A-Z][a-z]{5}-[A-Z][a-z]$/],
    ['0012345', /^\d{7}$/],
    ['81-07-23', /^\d\d-\d\d-\d\d$/],
    ['someone@bank.example', /^[a-z]{7}@example\.com$/],
    ['https://shop.example/orders/12', /^https:\/\/pay\.example\/[a-z]{6}\/\d\d$/],
    ['', /^$/],
  ])('%s', (text, shape) => {
    expect(fakes.text(text)).toMatch(shape);
    expect(fakes.text(text)).toBe(new Fakes('seed').text(text));
    if (text !== '') expect(fakes.text(text)).not.toBe(new Fakes('other').text(text));
  });
});

/** Stands for an encryption: turns every byte around. */
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

describe('payloads that are encoded', () => {
  const history = async (value: unknown) => {
    const payload = {
      metadata: { encoding: Buffer.from('json/plain') },
      data: Buffer.from(JSON.stringify(value)),
    };
    const payloads = await CODEC.encode([payload]);
    return { events: [{ eventId: null, workflowExecutionStartedEventAttributes: { input: { payloads } } }] };
  };

  test('are read with their codec and written in the open', async () => {
    const encoded = await history({ payor: { firstName: 'Wilhelmina' }, status: 'Initiated' });
    const text = textOf(await sanitizeHistory(encoded, { fakes: new Fakes('seed'), codecs: [CODEC] }));
    expect(text).toMatch(/\{"payor":\{"firstName":"[A-Z][a-z]{9}"\},"status":"Initiated"\}/);
    expect(text).not.toContain('Wilhelmina');
  });

  test('are refused without it: nothing is exported', async () => {
    const encoded = await history({ payor: { firstName: 'Wilhelmina' } });
    await expect(sanitizeHistory(encoded, { fakes: new Fakes('seed'), codecs: [] })).rejects.toMatchObject({
      code: 'HISTORY_UNREADABLE',
      message: expect.stringContaining('binary/turned'),
    });
  });
});
