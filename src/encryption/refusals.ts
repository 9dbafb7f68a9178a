import { PaysessionError, withRemedy } from '../errors';
import { isKeyId, type Refusal } from '../protocol/encrypted-payload';

/** Whoever sent the payload chose the id: it is shown only if it has the form of a key's id. */
export function noKey(id: string): PaysessionError {
  const reason = isKeyId(id) ? `no key has the id "${id}"` : 'no key has its id';
  return refuse('ENCRYPTION_KEY_MISSING', `Stored data cannot be decrypted: ${reason}.`);
}

/** @param id of a key that is at hand */
export function changed(id: string): PaysessionError {
  const reason = `it was changed after it was encrypted, or the key "${id}" is not the one that encrypted it`;
  return refuse('ENCRYPTION_TAMPERED', `Stored data is not used: ${reason}.`);
}

export function fromElsewhere(): PaysessionError {
  return refuse('ENCRYPTION_TAMPERED', 'Stored data is not used: it was encrypted for another namespace.');
}

export function plainText(): PaysessionError {
  return refuse('ENCRYPTION_REQUIRED', 'Stored data is not used: it is in plain text.');
}

function refuse(code: Refusal, message: string): PaysessionError {
  return new PaysessionError(code, withRemedy(code, message));
}
