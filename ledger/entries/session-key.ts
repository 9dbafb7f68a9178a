import { randomBytes } from 'node:crypto';
import { decrypt, encrypt, KEY_BYTES, type KeyRing } from '../../src/encryption';
import { PaysessionError, withRemedy } from '../../src/errors';

/** A session's own key, as it is stored. */
export interface WrappedKey {
  /** Null once it is erased. */
  readonly wrapped: Buffer | null;
  /** The key of the key ring that wraps it; null where there is no key ring. */
  readonly wrappedWith: string | null;
}

/** Whose key it is: it opens nothing else. */
export interface KeyOwner {
  readonly environment: string;
  readonly key: string;
}

/** Makes a session's own key, and wraps it. */
export async function newSessionKey(
  ring: KeyRing | undefined,
  owner: KeyOwner,
): Promise<{ readonly secret: Uint8Array; readonly stored: WrappedKey }> {
  const secret = randomBytes(KEY_BYTES);
  if (ring === undefined) return { secret, stored: { wrapped: secret, wrappedWith: null } };
  return { secret, stored: await wrap(ring, secret, owner) };
}

/** Wraps a session's own key with the current key of the ring. */
export async function wrap(ring: KeyRing, secret: Uint8Array, owner: KeyOwner): Promise<WrappedKey> {
  const { id, secret: wrapping } = await ring.current();
  const wrapped = Buffer.from(encrypt({ secret: wrapping, bytes: secret, authenticated: boundTo(owner) }));
  return { wrapped, wrappedWith: id };
}

/** Gives a session's own key; `undefined` where it has been erased. Throws `PaysessionError` `ENCRYPTION_KEY_MISSING` or `ENCRYPTION_TAMPERED`. */
export async function unwrap(
  ring: KeyRing | undefined,
  { wrapped, wrappedWith }: WrappedKey,
  owner: KeyOwner,
): Promise<Uint8Array | undefined> {
  if (wrapped === null || wrappedWith === null) return wrapped ?? undefined;
  const key = await ring?.find(wrappedWith);
  if (key === undefined) throw refused('ENCRYPTION_KEY_MISSING', `no key has the id "${wrappedWith}"`);
  const secret = decrypt({ secret: key.secret, bytes: wrapped, authenticated: boundTo(owner) });
  if (secret === undefined) throw refused('ENCRYPTION_TAMPERED', 'the session’s own key was changed');
  return secret;
}

const boundTo = ({ environment, key }: KeyOwner): Buffer => Buffer.from(JSON.stringify([environment, key]));

function refused(code: 'ENCRYPTION_KEY_MISSING' | 'ENCRYPTION_TAMPERED', reason: string): PaysessionError {
  return new PaysessionError(code, withRemedy(code, `The ledger’s personal data cannot be read: ${reason}.`));
}
