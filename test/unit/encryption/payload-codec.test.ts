import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import {
  encryptedDataConverter,
  encryptionKeysSchema,
  type EncryptionKeys,
  type EncryptionOptions,
} from '../../../src/encryption';
import { isWeak } from '../../../src/encryption/keys';

const key = (id: string) => ({ id, secret: randomBytes(32) });

const codecOf = (keys: EncryptionKeys, options?: EncryptionOptions) => {
  const [codec] = encryptedDataConverter(keys, options).payloadCodecs ?? [];
  if (codec === undefined) throw new Error('no codec');
  return codec;
};

const secretText = 'avery.tremblay@example.com';
const payload = defaultPayloadConverter.toPayload({ email: secretText });
const valueOf = ([decoded]: Payload[]): unknown => decoded && defaultPayloadConverter.fromPayload(decoded);

const first = key('2026-01');

describe('the encrypting codec', () => {
  test('encrypts and decrypts a payload; only the key’s id and the additional data are readable', async () => {
    const codec = codecOf({ current: first });
    const encrypted = await codec.encode([payload]);
    const [{ metadata, data } = {}] = encrypted;
    expect(Object.keys(metadata ?? {}).sort()).toEqual(['encoding', 'encryption-aad', 'encryption-key-id']);
    expect(Buffer.from(data ?? []).toString('latin1')).not.toContain(secretText);
    expect(valueOf(await codec.decode(encrypted))).toEqual({ email: secretText });
  });

  test('encrypts one value differently each time', async () => {
    const [one, other] = await codecOf({ current: first }).encode([payload, payload]);
    expect(one?.data).not.toEqual(other?.data);
  });

  test('decrypts with an earlier key after a change of keys', async () => {
    const encrypted = await codecOf({ current: first }).encode([payload]);
    const rotated = codecOf({ current: key('2026-02'), earlier: [first] });
    expect(valueOf(await rotated.decode(encrypted))).toEqual({ email: secretText });
  });

  test('returns a payload that is not encrypted unchanged', async () => {
    expect(await codecOf({ current: first }).decode([payload])).toEqual([payload]);
  });

  const withData = (change: (bytes: Buffer) => Buffer) => (payload: Payload) => ({
    codec: codecOf({ current: first }),
    encrypted: { ...payload, data: change(Buffer.from(payload.data ?? [])) },
  });

  test.each([
    [
      'an unknown key',
      'ENCRYPTION_KEY_MISSING',
      (encrypted: Payload) => ({ codec: codecOf({ current: key('other') }), encrypted }),
    ],
    [
      'another key that has the same id',
      'ENCRYPTION_TAMPERED',
      (encrypted: Payload) => ({ codec: codecOf({ current: key(first.id) }), encrypted }),
    ],
    [
      'the id of another key that the codec has',
      'ENCRYPTION_TAMPERED',
      (encrypted: Payload) => ({
        codec: codecOf({ current: first, earlier: [key('other')] }),
        encrypted: {
          ...encrypted,
          metadata: { ...encrypted.metadata, 'encryption-key-id': Buffer.from('other') },
        },
      }),
    ],
    [
      'a changed byte',
      'ENCRYPTION_TAMPERED',
      withData((bytes) => Buffer.from(bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte)))),
    ],
    ['missing bytes', 'ENCRYPTION_TAMPERED', withData((bytes) => bytes.subarray(0, 20))],
  ])('refuses a payload with %s, with the code %s', async (_name, code, spoil) => {
    const [intact = {}] = await codecOf({ current: first }).encode([payload]);
    const { codec, encrypted } = spoil(intact);
    await expect(codec.decode([encrypted])).rejects.toMatchObject({ code });
  });
});

describe('an encrypted payload', () => {
  const codec = codecOf({ current: first });
  const of = (workflowId: string) => ({ type: 'workflow', namespace: 'payments', workflowId }) as const;
  const inActivity = (workflowId: string) =>
    ({ type: 'activity', namespace: 'payments', workflowId, isLocal: false }) as const;
  const [ONE, OTHER] = ['payment-session/order-1', 'payment-session/order-2'] as const;

  test.each([
    ['the session’s workflow', of(ONE)],
    ['an activity of the session', inActivity(ONE)],
    ['a business workflow, which calls the session over Nexus', of('order-process-1')],
    ['a codec server, which has no workflow', of('')],
    ['a Nexus handler', undefined],
  ])('of a session is decrypted for %s', async (_who, context) => {
    expect(valueOf(await codec.decode(await codec.encode([payload], of(ONE)), context))).toEqual({
      email: secretText,
    });
  });

  test.each([
    ['of one session is refused in another session', of(ONE), of(OTHER)],
    [
      'of one session’s activity is refused in another session’s activity',
      inActivity(ONE),
      inActivity(OTHER),
    ],
    [
      'of a business workflow’s activity is refused in another workflow’s activity',
      inActivity('order-process-1'),
      inActivity('order-process-2'),
    ],
    ['of a business workflow is refused in a session', of('order-process-1'), of(OTHER)],
  ])('%s', async (_who, from, to) => {
    await expect(codec.decode(await codec.encode([payload], from), to)).rejects.toMatchObject({
      code: 'ENCRYPTION_TAMPERED',
      message: expect.stringContaining('another session'),
    });
  });

  test('is decrypted for any session if it was encrypted without a workflow', async () => {
    for (const context of [undefined, of('')])
      expect(valueOf(await codec.decode(await codec.encode([payload], context), of(ONE)))).toEqual({
        email: secretText,
      });
  });
});

describe('the namespace and the key id of an encrypted payload', () => {
  const inNamespace = (namespace: string) => ({ type: 'workflow', namespace, workflowId: 'id' }) as const;
  const aadOf = (encrypted: Payload | undefined) =>
    Buffer.from(encrypted?.metadata?.['encryption-aad'] ?? []).toString();

  test('are in its metadata, with the workflow id', async () => {
    const [encrypted] = await codecOf({ current: first }).encode([payload], inNamespace('payments'));
    expect(JSON.parse(aadOf(encrypted))).toEqual({
      key: first.id,
      namespace: 'payments',
      workflowId: 'id',
    });
  });

  test('make the payload unreadable in another namespace, unless the codec’s option `namespaces` allows the payload’s namespace', async () => {
    const encrypted = await codecOf({ current: first }).encode([payload], inNamespace('payments'));
    const elsewhere = inNamespace('shops');
    await expect(codecOf({ current: first }).decode(encrypted, elsewhere)).rejects.toMatchObject({
      code: 'ENCRYPTION_TAMPERED',
    });
    const trusting = codecOf({ current: first }, { namespaces: ['payments'] });
    expect(valueOf(await trusting.decode(encrypted, elsewhere))).toEqual({ email: secretText });
    expect(valueOf(await codecOf({ current: first }).decode(encrypted, inNamespace('payments')))).toEqual({
      email: secretText,
    });
  });

  test.each([
    ['changed to another namespace', (metadata: object) => ({ ...metadata, 'encryption-aad': aad('shops') })],
    ['changed to no namespace', (metadata: object) => ({ ...metadata, 'encryption-aad': aad(undefined) })],
    [
      'removed',
      (metadata: object) =>
        Object.fromEntries(Object.entries(metadata).filter(([name]) => !/aad/.test(name))),
    ],
  ])('make the payload unreadable if they are %s', async (_name, change) => {
    const codec = codecOf({ current: first });
    const [{ metadata, data } = {}] = await codec.encode([payload], inNamespace('payments'));
    const forged = { metadata: change(metadata ?? {}), data: data ?? null } as Payload;
    await expect(codec.decode([forged], inNamespace('shops'))).rejects.toMatchObject({
      code: 'ENCRYPTION_TAMPERED',
    });
  });

  const aad = (namespace?: string) => Buffer.from(JSON.stringify({ key: first.id, namespace }));

  test('are the cipher’s additional data, so any SDK with the key can decrypt the payload', async () => {
    const [encrypted] = await codecOf({ current: first }).encode([payload], inNamespace('payments'));
    const bytes = Buffer.from(encrypted?.data ?? []);
    const decipher = createDecipheriv('aes-256-gcm', first.secret, bytes.subarray(0, 12));
    decipher.setAAD(Buffer.from(aadOf(encrypted)));
    decipher.setAuthTag(bytes.subarray(-16));
    const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    expect(valueOf([temporal.api.common.v1.Payload.decode(plain)])).toEqual({ email: secretText });
  });

  test('may be missing, as in a payload that the codec of Temporal’s samples has encrypted', async () => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', first.secret, nonce);
    const plain = temporal.api.common.v1.Payload.encode(payload).finish();
    const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    const sample = {
      metadata: {
        encoding: Buffer.from('binary/encrypted'),
        'encryption-key-id': Buffer.from(first.id),
      },
      data,
    };
    const read = await codecOf({ current: first }, { required: true }).decode([sample], inNamespace('any'));
    expect(valueOf(read)).toEqual({ email: secretText });
  });
});

test('a codec that requires encryption refuses plain text', async () => {
  const codec = codecOf({ current: first }, { required: true });
  await expect(codec.decode([payload])).rejects.toMatchObject({ code: 'ENCRYPTION_REQUIRED' });
  expect(valueOf(await codec.decode(await codec.encode([payload])))).toEqual({ email: secretText });
  // The Temporal server, which has no key, writes this text itself: a session has cancelled a create activity that was still
  // in its task queue.
  const ofServer = defaultPayloadConverter.toPayload('ACTIVITY_ID_NOT_STARTED');
  expect(valueOf(await codec.decode([ofServer]))).toBe('ACTIVITY_ID_NOT_STARTED');
});

describe('encryption keys', () => {
  const base64 = first.secret.toString('base64');

  test('are read from a setting: the first key encrypts, and all keys decrypt', () => {
    expect(encryptionKeysSchema.parse(`b:${base64}, a:${base64}`)).toEqual({
      current: { id: 'b', secret: first.secret },
      earlier: [{ id: 'a', secret: first.secret }],
    });
  });

  test('are also read from the lines of a file', () => {
    expect(encryptionKeysSchema.parse(`b:${base64}\na:${base64}\n`).earlier).toHaveLength(1);
  });

  const counting = Uint8Array.from({ length: 32 }, (_, index) => index * 3);
  test.each([
    ['all zero', Buffer.alloc(32)],
    ['one byte', Buffer.alloc(32, 'k')],
    ['a repeated word', Buffer.alloc(32, 'secret')],
    ['a repeated half of a key', Buffer.concat([first.secret.subarray(0, 16), first.secret.subarray(0, 16)])],
    ['digits', Buffer.from('01234567890123456789012345678901')],
    ['counting up', counting],
    ['counting down', counting.toReversed()],
  ])('that are weak are refused: %s', (_name, secret) => {
    expect(() => encryptedDataConverter({ current: { id: 'weak', secret } })).toThrow(
      expect.objectContaining({
        code: 'INVALID_SETTINGS',
        message: expect.stringContaining('must be random'),
      }),
    );
    const text = `weak:${Buffer.from(secret).toString('base64')}`;
    const { error } = encryptionKeysSchema.safeParse(text);
    expect(error?.issues).toMatchObject([{ message: expect.stringContaining('must be random') }]);
  });

  test('of random bytes do not count as weak', () => {
    const keys = Array.from({ length: 10_000 }, () => randomBytes(32));
    expect(keys.filter(isWeak)).toEqual([]);
  });

  test.each([
    ['an empty text', ''],
    ['a key without an id', base64],
    ['a comma at the end', `a:${base64},`],
    ['a short key', 'a:c2hvcnQ='],
    ['an id used twice', `a:${base64},a:${base64}`],
    ['a space in an id', `a b:${base64}`],
  ])('with %s are refused, with a message that does not contain the key', (_name, text) => {
    const { error } = encryptionKeysSchema.safeParse(text);
    expect(error?.issues).toHaveLength(1);
    expect(error?.message).not.toContain(base64);
  });

  test('are refused if they are too short, or if two of them have one id', () => {
    const short = { id: 'short', secret: randomBytes(16) };
    expect(() => encryptedDataConverter({ current: short })).toThrow(
      'encryption key short must have 32 bytes',
    );
    expect(() => encryptedDataConverter({ current: first, earlier: [first] })).toThrow('an id twice');
  });
});
