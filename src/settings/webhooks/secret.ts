const PREFIX = 'whsec_';

/** The rule for the secret of an endpoint, in words. */
export const SECRET_RULE =
  'must be `whsec_` and 24 to 64 bytes in base64, as from `paysession webhooks new-secret`';

/** True if the text has the form of a secret of Standard Webhooks. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const bytes = secretBytes(text);
  return bytes.length >= 24 && bytes.length <= 64 && secretOf(bytes) === text;
}

/** Returns the bytes in a secret. */
export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/** Returns the secret that contains these bytes. */
export const secretOf = (bytes: Buffer): string => `${PREFIX}${bytes.toString('base64')}`;
