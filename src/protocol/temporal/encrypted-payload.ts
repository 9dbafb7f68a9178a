/** The encoding that marks an encrypted payload. Recorded histories contain the names in this file, so the names are permanent. */
export const ENCRYPTED_ENCODING = 'binary/encrypted';
/** The payload's metadata with the id of the encryption key. */
export const KEY_ID = 'encryption-key-id';
/** The payload's metadata with the additional authenticated data, byte for byte as the cipher uses it. */
export const AUTHENTICATED = 'encryption-aad';

/** True if the text has the form of an encryption key's id. */
export function isKeyId(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text);
}

/**
 * The reasons why a worker must not use data that it received, as error codes. They usually remain until an operator fixes the cause.
 */
export const REFUSALS = ['ENCRYPTION_KEY_MISSING', 'ENCRYPTION_TAMPERED', 'ENCRYPTION_REQUIRED'] as const;

export type PayloadRefusal = (typeof REFUSALS)[number];

export function isRefusal(code: unknown): code is PayloadRefusal {
  return REFUSALS.some((refusal) => refusal === code);
}

/**
 * Returns the encoding that replaces data which a workflow must not use. The encoding names the reason, and no converter can read it.
 */
export const refusedEncoding = (refusal: PayloadRefusal): string => `refused/${refusal}`;

/**
 * Returns the reason that an encoding names; `undefined` if it names none. For a payload that is still encrypted, returns
 * `ENCRYPTION_KEY_MISSING`.
 */
export function refusalOf(encoding: string): PayloadRefusal | undefined {
  if (encoding === ENCRYPTED_ENCODING) return 'ENCRYPTION_KEY_MISSING';
  return REFUSALS.find((refusal) => refusedEncoding(refusal) === encoding);
}
