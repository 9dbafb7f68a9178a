import { createHash, randomBytes } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES, type KeyRing } from '../src/encryption';
import { PaysessionError, withRemedy } from '../src/errors';

/** A session's own key, as it is stored. */
export interface WrappedKey {
  /** Null once the key is erased. */
  readonly wrapped: Buffer | null;
  /** The id of the encryption key that wraps the key; null without a key ring, and once the key is erased. */
  readonly wrappedWith: string | null;
}

/** The session that owns an encryption key. The encryption key decrypts no other session. */
export interface KeyOwner {
  readonly environment: string;
  readonly key: string;
}

/** A session's own key as it is stored, and the commitment to it in the chain of the session's entries. */
export interface KeptKey extends WrappedKey {
  /** `commitmentTo` the key. The first entry has it instead of a previous entry's hash. */
  readonly commitment: Buffer;
}

/** Makes a session's own key, and wraps it. */
export async function newSessionKey(
  ring: KeyRing | undefined,
  owner: KeyOwner,
): Promise<{ readonly secret: Uint8Array; readonly stored: KeptKey }> {
  const secret = randomBytes(KEY_BYTES);
  const stored =
    ring === undefined ? { wrapped: secret, wrappedWith: null } : await wrap(ring, secret, owner);
  return { secret, stored: { ...stored, commitment: commitmentTo(secret) } };
}

/** Returns a hash that identifies a session's own key without revealing it: 32 random bytes cannot be guessed. */
export const commitmentTo = (secret: Uint8Array): Buffer =>
  createHash('sha256').update('paysession session key 1').update(secret).digest();

/** Wraps a session's own key with the current key of the ring. */
export async function wrap(ring: KeyRing, secret: Uint8Array, owner: KeyOwner): Promise<WrappedKey> {
  const { id, secret: wrapping } = await ring.current();
  const wrapped = Buffer.from(
    encrypt({ secret: wrapping, bytes: secret, authenticated: boundTo(owner, id) }),
  );
  return { wrapped, wrappedWith: id };
}

/**
 * Returns a session's own key; `undefined` if it has been erased.
 *
 * @throws {@link PaysessionError} `ENCRYPTION_REQUIRED` if encryption keys are set but none wraps this key, unless `takesPlain` is set: an
 * intruder may have stored the key to read data that is encrypted with it. `ENCRYPTION_KEY_MISSING` if the key that wraps this key is not
 * set, `ENCRYPTION_TAMPERED` if this key cannot be decrypted, or is not the key that the session began with
 */
export async function unwrap(
  ring: KeyRing | undefined,
  { wrapped, wrappedWith, commitment }: KeptKey,
  owner: KeyOwner,
  { takesPlain = false }: { readonly takesPlain?: boolean } = {},
): Promise<Uint8Array | undefined> {
  if (wrapped === null) return undefined;
  if (wrappedWith === null && ring !== undefined && !takesPlain)
    throw new PaysessionError('ENCRYPTION_REQUIRED', NOT_WRAPPED);
  const secret = wrappedWith === null ? wrapped : await opened(ring, { wrapped, wrappedWith }, owner);
  if (secret === undefined || !commitmentTo(secret).equals(commitment))
    throw refused('ENCRYPTION_TAMPERED', 'the session’s own key was changed');
  return secret;
}

async function opened(
  ring: KeyRing | undefined,
  { wrapped, wrappedWith }: { readonly wrapped: Buffer; readonly wrappedWith: string },
  owner: KeyOwner,
): Promise<Uint8Array | undefined> {
  const key = await ring?.find(wrappedWith);
  if (key === undefined) throw refused('ENCRYPTION_KEY_MISSING', `no key has the id "${wrappedWith}"`);
  return decrypt({ secret: key.secret, bytes: wrapped, authenticated: boundTo(owner, wrappedWith) });
}

const boundTo = ({ environment, key }: KeyOwner, wrappedWith: string): Buffer =>
  Buffer.from(JSON.stringify([environment, key, wrappedWith]));

const NOT_WRAPPED =
  'The ledger has a session’s own key in plain text, although encryption keys are set. Run `paysession ledger rewrap` if the session is older than these keys, or a worker without them recorded it. Otherwise the ledger was changed: run `paysession ledger verify`.';

function refused(code: 'ENCRYPTION_KEY_MISSING' | 'ENCRYPTION_TAMPERED', reason: string): PaysessionError {
  return new PaysessionError(code, withRemedy(code, `The ledger’s personal data cannot be read: ${reason}.`));
}
