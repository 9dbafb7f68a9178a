import { createHmac } from 'node:crypto';
import { secretBytes } from '../../src/settings/webhooks/secret';

/**
 * Returns the signatures of a message, in the format of Standard Webhooks. There is a signature for each secret, and spaces between them.
 * `timestamp` is the Unix time in seconds.
 */
export function signatureOf(
  secrets: readonly string[],
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secretBytes(secret)).update(signed).digest('base64')}`)
    .join(' ');
}
