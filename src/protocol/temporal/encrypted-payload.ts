/** The encoding that marks an encrypted payload. The names live in recorded histories, so they are permanent. */
export const ENCRYPTED_ENCODING = 'binary/encrypted';
/** The metadata that names the key. */
export const KEY_ID = 'encryption-key-id';
/** The metadata that holds the additional authenticated data, byte for byte as the cipher uses it. */
export const AUTHENTICATED = 'encryption-aad';

/** True if the text has the form of a key's id. */
export function isKeyId(text: string): boolean {
  return /^[\w.-]{1,64}$/.test(text);
}

/** Reasons for which a worker must not use data that it received: error codes that usually persist until an operator fixes the cause. */
export const REFUSALS = ['ENCRYPTION_KEY_MISSING', 'ENCRYPTION_TAMPERED', 'ENCRYPTION_REQUIRED'] as const;

export type PayloadRefusal = (typeof REFUSALS)[number];

export function isRefusal(code: unknown): code is PayloadRefusal {
  return REFUSALS.some((refusal) => refusal === code);
}

/** Returns the encoding of data that a workflow must not use: no converter reads it, and it names the reason. */
export const refusedEncoding = (refusal: PayloadRefusal): string => `refused/${refusal}`;

/** Returns the reason that an encoding names, if any; `ENCRYPTION_KEY_MISSING` for a payload that is still encrypted. */
export function refusalOf(encoding: string): PayloadRefusal | undefined {
  if (encoding === ENCRYPTED_ENCODING) return 'ENCRYPTION_KEY_MISSING';
  return REFUSALS.find((refusal) => refusedEncoding(refusal) === encoding);
}
