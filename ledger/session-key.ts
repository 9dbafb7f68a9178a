import { createHash, randomBytes } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES, type KeyRing } from '../src/encryption';
import { PaysessionError, withRemedy } from '../src/errors';

/**
 * The encryption key of a session, called the session's own key. It encrypts the personal data in the session's entries. It is stored
 * encrypted ("wrapped") with a key of the key ring, which comes from the settings. Without a key ring, it is stored as it is.
 */

/** A session's own key, as it is stored. */
export interface WrappedKey {
  /** The stored key. Null if it was erased. */
  readonly wrapped: Buffer | null;
  /** The id of the ring's key with which it is wrapped. Null if there is no key ring, or if the key was erased. */
  readonly wrappedWith: string | null;
}

/** The session to which an encryption key belongs. */
export interface KeyOwner {
  readonly environment: string;
  readonly key: string;
}

/** A session's own key as it is stored, and the commitment to the key. */
export interface KeptKey extends WrappedKey {
  /** The hash that `commitmentTo` returns for the key. The session's first entry has it in place of a previous entry's hash. */
  readonly commitment: Buffer;
}

/** Creates a session's own key and wraps it. */
export async function newSessionKey(
  ring: KeyRing | undefined,
  owner: KeyOwner,
): Promise<{ readonly secret: Uint8Array; readonly stored: KeptKey }> {
  const secret = randomBytes(KEY_BYTES);
  const stored =
    ring === undefined ? { wrapped: secret, wrappedWith: null } : await wrap(ring, secret, owner);
  return { secret, stored: { ...stored, commitment: commitmentTo(secret) } };
}

/** Returns a hash that identifies a session's own key. The hash does not reveal the key, because 32 random bytes cannot be guessed. */
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
 * Decrypts a session's own key. Returns `undefined` if the key was erased.
 *
 * @throws {@link PaysessionError} `ENCRYPTION_REQUIRED` if there is a key ring, and the key is not wrapped. An intruder may have stored such a
 * key to read later data. With `takesPlain`, the key is returned instead
 * @throws {@link PaysessionError} `ENCRYPTION_KEY_MISSING` if the key ring lacks the key that wraps this key
 * @throws {@link PaysessionError} `ENCRYPTION_TAMPERED` if the key cannot be decrypted, or does not match the commitment
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
