import { createHash, createHmac } from 'node:crypto';
import type { NewsKind } from './message';

/** Where news is sent. */
export interface NewsEndpoint {
  /** Names it in commands, metrics and logs. */
  readonly name: string;
  /** https, or http to this machine where loopback addresses are allowed. */
  readonly url: string;
  /** `whsec_` and 24 to 64 bytes in base64. Messages are signed with each: two during a rotation. */
  readonly secrets: readonly string[];
  /** Only news of these accounts. @default all */
  readonly accounts?: readonly string[] | undefined;
  /** Only these kinds of news. @default all */
  readonly kinds?: readonly NewsKind[] | undefined;
  /** Whether messages hold personal data: the request, who decided, what anomalies quote. @default false */
  readonly personalData?: boolean | undefined;
}

const PREFIX = 'whsec_';

/** Signs a message as Standard Webhooks has it: one signature for each secret, apart by spaces. */
export function signatureOf(
  secrets: readonly string[],
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const signed = `${id}.${timestamp}.${body}`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`)
    .join(' ');
}

/** Whether a text is a secret of Standard Webhooks. */
export function isSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  const bytes = keyOf(text);
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === text.slice(PREFIX.length);
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

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
