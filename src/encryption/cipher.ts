import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM as Temporal's own samples write it: the nonce first, the tag last. */
const CIPHER = 'aes-256-gcm';

const NONCE_BYTES = 12;

const TAG_BYTES = 16;

/** What is encrypted or decrypted. */
export interface CipherInput {
  readonly secret: Uint8Array;
  readonly bytes: Uint8Array;
  /** What the tag vouches for besides. */
  readonly authenticated?: Uint8Array;
}

export function encrypt({ secret, bytes, authenticated }: CipherInput): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce);
  if (authenticated !== undefined) cipher.setAAD(authenticated);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** `undefined` where the bytes are not what somebody with the key encrypted. */
export function decrypt({ secret, bytes, authenticated }: CipherInput): Uint8Array | undefined {
  const tagAt = bytes.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, secret, nonce, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(tagAt));
  if (authenticated !== undefined) decipher.setAAD(authenticated);
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]);
  } catch {
    return undefined;
  }
}
