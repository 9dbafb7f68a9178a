import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import {
  METADATA_ENCODING_KEY,
  type DataConverter,
  type Payload,
  type PayloadCodec,
} from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { PaysessionError } from '../errors';
import { ENCRYPTED_ENCODING, isKeyId, KEY_ID } from '../protocol/encrypted-payload';
import { allKeys, assertUsable, type EncryptionKeys } from './keys';

/**
 * The format of Temporal's own samples, so that other SDKs can read it: the whole payload, as protobuf, under AES-256-GCM,
 * the nonce first and the tag last.
 */
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * A data converter for a Temporal client or worker that encrypts all payloads of a session. Its key (the workflow id), its
 * search attributes and the messages of failures stay readable. Throws `SettingsError` if a key cannot be used.
 *
 * @example
 * ```ts
 * const secret = Buffer.from(process.env['PAYMENT_KEY'] ?? '', 'base64'); // 32 bytes
 * const dataConverter = encryptedDataConverter({ current: { id: '2031-05', secret } });
 * const client = new Client({ connection: await Connection.connect(), dataConverter });
 * ```
 */
export function encryptedDataConverter(keys: EncryptionKeys): DataConverter {
  return { payloadCodecs: [new EncryptionCodec(keys)] };
}

class EncryptionCodec implements PayloadCodec {
  readonly #current: { readonly id: string; readonly secret: Uint8Array };
  readonly #secrets: ReadonlyMap<string, Uint8Array>;

  constructor(keys: EncryptionKeys) {
    assertUsable(keys);
    this.#current = keys.current;
    this.#secrets = new Map(allKeys(keys).map(({ id, secret }) => [id, secret]));
  }

  encode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads.map((payload) => this.#encrypt(payload)));
  }

  /** Payloads that are not encrypted stay as they are: sessions may be older than the key. */
  decode(payloads: Payload[]): Promise<Payload[]> {
    return Promise.resolve(payloads).then((all) =>
      all.map((payload) => (isEncrypted(payload) ? this.#decrypt(payload) : payload)),
    );
  }

  #encrypt(payload: Payload): Payload {
    const { id, secret } = this.#current;
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, secret, nonce);
    const plain = temporal.api.common.v1.Payload.encode(payload).finish();
    const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    return {
      metadata: { [METADATA_ENCODING_KEY]: Buffer.from(ENCRYPTED_ENCODING), [KEY_ID]: Buffer.from(id) },
      data,
    };
  }

  #decrypt({ metadata, data }: Payload): Payload {
    const id = textOf(metadata?.[KEY_ID]);
    const secret = this.#secrets.get(id);
    if (secret === undefined) throw noKey(id);
    const bytes = Buffer.from(data ?? []);
    const tagAt = bytes.length - TAG_BYTES;
    if (tagAt < NONCE_BYTES) throw unreadable('it is incomplete');
    const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, NONCE_BYTES));
    decipher.setAuthTag(bytes.subarray(tagAt));
    try {
      const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
      return temporal.api.common.v1.Payload.decode(plain);
    } catch (cause) {
      throw unreadable(`the key "${id}" is not the one that encrypted it, or the data was changed`, cause);
    }
  }
}

/** Throws `PaysessionError` `ENCRYPTION_KEY_MISSING` for a payload that is still encrypted. */
export function assertReadable(payload: Payload): void {
  if (isEncrypted(payload)) throw noKey(textOf(payload.metadata?.[KEY_ID]));
}

const isEncrypted = ({ metadata }: Payload): boolean =>
  textOf(metadata?.[METADATA_ENCODING_KEY]) === ENCRYPTED_ENCODING;

const textOf = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

/** Whoever sent the payload chose the id: it is shown only if it has the form of a key's id. */
function noKey(id: string): PaysessionError {
  return unreadable(isKeyId(id) ? `no key has the id "${id}"` : 'no key has its id');
}

function unreadable(reason: string, cause?: unknown): PaysessionError {
  return new PaysessionError(
    'ENCRYPTION_KEY_MISSING',
    `Stored data cannot be decrypted: ${reason}. Add the key that encrypted it to PAYSESSION_ENCRYPTION_KEYS.`,
    { cause },
  );
}
