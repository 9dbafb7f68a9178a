import { createHash, createHmac } from 'node:crypto';
import type { WebhookEndpoint } from '../../src/settings/webhooks/endpoints';
import { secretBytes } from '../../src/settings/webhooks/secret';

/** Signs a message as Standard Webhooks has it: one signature for each secret, apart by spaces. */
export function signatureOf(
  secrets: readonly string[],
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secretBytes(secret)).update(signed).digest('base64')}`)
    .join(' ');
}

/** Distinguishes an endpoint's settings from others of its name. Secrets are random bytes, so nobody finds them by trying. */
export function fingerprintOf({
  url,
  secrets,
  kinds,
  accounts,
  personalData = false,
}: WebhookEndpoint): string {
  const settings = [url, secrets, kinds?.toSorted() ?? null, accounts?.toSorted() ?? null, personalData];
  return createHash('sha256').update(JSON.stringify(settings)).digest('base64url').slice(0, 16);
}
