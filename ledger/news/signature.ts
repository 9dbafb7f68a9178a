import { createHash, createHmac } from 'node:crypto';
import type { NewsKind } from '../../src/protocol/news';
import type { NewsEndpoint } from '../../src/settings/news/endpoints';
import { secretBytes } from '../../src/settings/news/secret';

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

/** Tells one URL with its secrets from another. Secrets are random bytes: nobody finds them by trying. */
export const fingerprintOf = ({ url, secrets }: NewsEndpoint): string =>
  createHash('sha256')
    .update(JSON.stringify([url, secrets]))
    .digest('base64url')
    .slice(0, 16);

/**
 * The same message has the same id, however often it is sent. It is made from the entry's hash, which goes over all entries before it:
 * no other ledger has it.
 */
export const messageId = (entryHash: Buffer, kind: NewsKind): string =>
  `msg_${createHash('sha256').update(entryHash).update(kind).digest('base64url').slice(0, 27)}`;
