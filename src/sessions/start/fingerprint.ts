import { createHash } from 'node:crypto';
import { DEFAULT_ACCOUNT } from '../../protocol/names';
import type { PaymentSessionInput } from '../../protocol/input/input';

/** The field of the memo that tells a session's request from another. */
export const FINGERPRINT = 'paymentSessionFingerprint';

/**
 * What tells whether a key is used again for the same payment: a digest of the request and the account, whatever the
 * order of their members. The policy is left out: it says how to follow a payment, not which payment it is.
 */
export function fingerprintOf({ account, request }: PaymentSessionInput): string {
  const text = JSON.stringify([account ?? DEFAULT_ACCOUNT, canonical(request)]);
  return createHash('sha256').update(text).digest('base64url');
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, canonical(member)]),
  );
}
