import { describe, expect, test } from '@jest/globals';
import { ApplicationFailure, defaultPayloadConverter, type Payload } from '@temporalio/common';
import { encryptedDataConverter, workerDataConverter, type EncryptionKeys } from '../../../src/encryption';
import { warnOnce } from '../../../worker/encryption';
import { encrypted, newKey, undecryptable } from '../../support/undecryptable';

const KEY = newKey('at-hand');
const WORKFLOW = { type: 'workflow', namespace: 'default', workflowId: 'id' } as const;
const ACTIVITY = { type: 'activity', namespace: 'default', isLocal: false } as const;

function workerCodec(keys?: EncryptionKeys) {
  const reasons: string[] = [];
  const { payloadCodecs } = workerDataConverter(keys && encryptedDataConverter(keys), (reason) => {
    reasons.push(reason);
  });
  const [codec] = payloadCodecs ?? [];
  if (codec === undefined) throw new Error('no codec');
  return { codec, reasons };
}

const valueOf = (payload: Payload | undefined): unknown =>
  payload && defaultPayloadConverter.fromPayload(payload);

const encodingOf = (payload: Payload | undefined): string =>
  Buffer.from(payload?.metadata?.['encoding'] ?? []).toString();

/** Returns the code with which a worker refuses data. A worker without keys can only report that the key is missing. */
const codeWith = (keys: EncryptionKeys | undefined, code: string) =>
  keys === undefined ? 'ENCRYPTION_KEY_MISSING' : code;

describe.each([
  ['a worker with keys', { current: KEY }],
  ['a worker without keys', undefined],
])('%s', (_name, keys) => {
  test('gives the workflow an empty payload in place of data that it cannot decrypt, and reports the reason', async () => {
    for (const [, payload, reason] of await undecryptable(KEY)) {
      const { codec, reasons } = workerCodec(keys);
      const [left] = await codec.decode([payload], WORKFLOW);
      expect(encodingOf(left)).toBe(`refused/${codeWith(keys, reason)}`);
      expect(left?.data).toBeUndefined();
      expect(reasons).toEqual([expect.stringMatching(/^Stored data (cannot be decrypted|was rejected)/)]);
      expect(reasons[0]?.length).toBeLessThan(450);
    }
  });

  test('fails an activity whose data it cannot decrypt, so that another worker can try again', async () => {
    for (const [, payload, reason] of await undecryptable(KEY)) {
      const failed = await workerCodec(keys)
        .codec.decode([payload], ACTIVITY)
        .catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(ApplicationFailure);
      expect(failed).toMatchObject({ type: codeWith(keys, reason), nonRetryable: false });
    }
  });

  test('fails a Nexus operation whose data it cannot decrypt, and the operation is not tried again', async () => {
    for (const [, payload, reason] of await undecryptable(KEY)) {
      await expect(workerCodec(keys).codec.decode([payload])).rejects.toMatchObject({
        type: codeWith(keys, reason),
        nonRetryable: true,
      });
    }
  });

  test('reads data that is not encrypted', async () => {
    const plain = defaultPayloadConverter.toPayload('plain');
    expect(await workerCodec(keys).codec.decode([plain], WORKFLOW)).toEqual([plain]);
  });
});

test('a worker decrypts a payload even if it cannot decrypt the payload before it', async () => {
  const foreign = await encrypted('secret', { current: newKey('foreign') });
  const own = await encrypted('readable', { current: KEY });
  const [first, second] = await workerCodec({ current: KEY }).codec.decode([foreign, own], WORKFLOW);
  expect(encodingOf(first)).toBe('refused/ENCRYPTION_KEY_MISSING');
  expect(valueOf(second)).toBe('readable');
});

test('a worker that requires encryption passes no plain text to workflows, activities or Nexus operations', async () => {
  const { payloadCodecs } = workerDataConverter(encryptedDataConverter({ current: KEY }, { required: true }));
  const [codec] = payloadCodecs ?? [];
  const plain = defaultPayloadConverter.toPayload({ email: 'avery@example.com' });
  const [left] = (await codec?.decode([plain], WORKFLOW)) ?? [];
  expect(encodingOf(left)).toBe('refused/ENCRYPTION_REQUIRED');
  expect(JSON.stringify(left)).not.toContain(Buffer.from(plain.data ?? []).toString('base64'));
  expect(left?.data).toBeUndefined();
  await expect(codec?.decode([plain], ACTIVITY)).rejects.toMatchObject({ type: 'ENCRYPTION_REQUIRED' });
  await expect(codec?.decode([plain])).rejects.toMatchObject({
    type: 'ENCRYPTION_REQUIRED',
    nonRetryable: true,
  });
});

test('a worker logs each missing key once, and at most a hundred keys', () => {
  const logged: string[] = [];
  const warn = warnOnce((message) => logged.push(message));
  for (let times = 0; times < 3; times += 1) {
    warn('key a');
    warn('key b');
  }
  expect(logged).toEqual(['key a', 'key b']);
  for (let id = 0; id < 1000; id += 1) warn(`key ${id}`);
  expect(logged).toHaveLength(100);
});
