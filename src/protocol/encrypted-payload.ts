/** How an encrypted payload says that it is one: names that live in recorded histories, so they are permanent. */
export const ENCRYPTED_ENCODING = 'binary/encrypted';
/** The metadata that names the key. */
export const KEY_ID = 'encryption-key-id';

/** Whether a text has the form of a key's id. */
export function isKeyId(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text);
}
