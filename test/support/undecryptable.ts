import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { encryptedDataConverter, type EncryptionKeys } from '../../src';
import type { EncryptionKey } from '../../src/encryption';

export const newKey = (id: string): EncryptionKey => ({ id, secret: randomBytes(32) });

/** Returns a value as the encrypted payload that a client with these keys sends. */
export async function encrypted(value: unknown, keys: EncryptionKeys): Promise<Payload> {
  const [codec] = encryptedDataConverter(keys).payloadCodecs ?? [];
  const [payload] = (await codec?.encode([defaultPayloadConverter.toPayload(value)])) ?? [];
  if (payload === undefined) throw new Error('nothing was encoded');
  return payload;
}

/** A test case: its name, the payload, and the error code with which a worker with the key refuses the payload. */
type Undecryptable = readonly [string, Payload, 'ENCRYPTION_KEY_MISSING' | 'ENCRYPTION_TAMPERED'];

/** Returns payloads that a worker with the key cannot decrypt, each for a different reason. */
export async function undecryptable(key: EncryptionKey): Promise<readonly Undecryptable[]> {
  const foreign = await encrypted(null, { current: newKey('foreign') });
  const sameId = await encrypted(null, { current: newKey(key.id) });
  const intact = await encrypted(null, { current: key });
  const changed = Buffer.from(intact.data ?? []).map((byte, index) => (index === 20 ? byte ^ 1 : byte));
  const encoding = { encoding: Buffer.from('binary/encrypted') };
  return [
    ['encrypted with an unknown key', foreign, 'ENCRYPTION_KEY_MISSING'],
    ['encrypted with another key of the same id', sameId, 'ENCRYPTION_TAMPERED'],
    ['changed on its way', { ...intact, data: changed }, 'ENCRYPTION_TAMPERED'],
    ['cut off', { ...intact, data: Buffer.from('cut off') }, 'ENCRYPTION_TAMPERED'],
    ['without bytes', { metadata: intact.metadata ?? {} }, 'ENCRYPTION_TAMPERED'],
    ['without the id of a key', { metadata: encoding, data: Buffer.from('?') }, 'ENCRYPTION_KEY_MISSING'],
    [
      'with a hostile id of a key',
      { metadata: { ...encoding, 'encryption-key-id': Buffer.from('\n'.repeat(5000)) } },
      'ENCRYPTION_KEY_MISSING',
    ],
  ];
}
