import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { encryptedDataConverter, encryptionKeysSchema, type EncryptionKeys } from '../../src/encryption';

const key = (id: string) => ({ id, secret: randomBytes(32) });

const codecOf = (keys: EncryptionKeys) => {
  const [codec] = encryptedDataConverter(keys).payloadCodecs ?? [];
  if (codec === undefined) throw new Error('no codec');
  return codec;
};

const secretText = 'avery.tremblay@example.com';
const payload = defaultPayloadConverter.toPayload({ email: secretText });
const valueOf = ([decoded]: Payload[]): unknown => decoded && defaultPayloadConverter.fromPayload(decoded);

const first = key('2026-01');

describe('encrypted payloads', () => {
  test('come back as they were, and show nothing but the id of their key', async () => {
    const codec = codecOf({ current: first });
    const encrypted = await codec.encode([payload]);
    const [{ metadata, data } = {}] = encrypted;
    expect(Object.keys(metadata ?? {}).sort()).toEqual(['encoding', 'encryption-key-id']);
    expect(Buffer.from(data ?? []).toString('latin1')).not.toContain(secretText);
    expect(valueOf(await codec.decode(encrypted))).toEqual({ email: secretText });
  });

  test('of equal values differ', async () => {
    const [one, other] = await codecOf({ current: first }).encode([payload, payload]);
    expect(one?.data).not.toEqual(other?.data);
  });

  test('are read with an earlier key after a change of keys', async () => {
    const encrypted = await codecOf({ current: first }).encode([payload]);
    const rotated = codecOf({ current: key('2026-02'), earlier: [first] });
    expect(valueOf(await rotated.decode(encrypted))).toEqual({ email: secretText });
  });

  test('that are not encrypted pass as they are', async () => {
    expect(await codecOf({ current: first }).decode([payload])).toEqual([payload]);
  });

  test.each([
    ['an unknown key', (encrypted: Payload) => ({ codec: codecOf({ current: key('other') }), encrypted })],
    [
      'another key of the same id',
      (encrypted: Payload) => ({ codec: codecOf({ current: key(first.id) }), encrypted }),
    ],
    [
      'a changed byte',
      ({ metadata, data }: Payload) => {
        const bytes = Buffer.from(data ?? []);
        bytes[20] = (bytes[20] ?? 0) ^ 1;
        return {
          codec: codecOf({ current: first }),
          encrypted: { ...(metadata && { metadata }), data: bytes },
        };
      },
    ],
    [
      'cut bytes',
      ({ metadata, data }: Payload) => ({
        codec: codecOf({ current: first }),
        encrypted: { ...(metadata && { metadata }), data: Buffer.from(data ?? []).subarray(0, 20) },
      }),
    ],
  ])('with %s are refused with a code', async (_name, spoil) => {
    const [intact = {}] = await codecOf({ current: first }).encode([payload]);
    const { codec, encrypted } = spoil(intact);
    await expect(codec.decode([encrypted])).rejects.toMatchObject({ code: 'ENCRYPTION_KEY_MISSING' });
  });
});

describe('keys', () => {
  const base64 = first.secret.toString('base64');

  test('are read from a setting: the first encrypts, all decrypt', () => {
    expect(encryptionKeysSchema.parse(`b:${base64}, a:${base64}`)).toEqual({
      current: { id: 'b', secret: first.secret },
      earlier: [{ id: 'a', secret: first.secret }],
    });
  });

  test.each([
    ['nothing', ''],
    ['a key without an id', base64],
    ['a comma at the end', `a:${base64},`],
    ['a short key', 'a:c2hvcnQ='],
    ['an id used twice', `a:${base64},a:${base64}`],
    ['a space in an id', `a b:${base64}`],
  ])('with %s are refused without being repeated', (_name, text) => {
    const { error } = encryptionKeysSchema.safeParse(text);
    expect(error?.issues).toHaveLength(1);
    expect(error?.message).not.toContain(base64);
  });

  test('that are too short, or share an id, are refused', () => {
    const short = { id: 'short', secret: randomBytes(16) };
    expect(() => encryptedDataConverter({ current: short })).toThrow(
      'encryption key short must have 32 bytes',
    );
    expect(() => encryptedDataConverter({ current: first, earlier: [first] })).toThrow('an id twice');
  });
});
