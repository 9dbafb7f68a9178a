import { createHash } from 'node:crypto';
import { validateSessionRequest, type ValidationFailure } from '../../contract';
import { InvalidRequestError } from '../../errors';
import { inputFailures } from '../../protocol/rules';
import { DEFAULT_ACCOUNT } from '../../protocol/names';
import type { PaymentSessionInput } from '../../protocol/input';

/** Throws `InvalidRequestError` listing everything that is wrong with the input; nothing is started then. */
export function assertValidInput(input: unknown): asserts input is PaymentSessionInput {
  const failures = inputFailures(input, requestFailures);
  if (failures.length > 0) throw new InvalidRequestError(failures);
}

function requestFailures(request: unknown): ValidationFailure[] {
  const checked = validateSessionRequest(request);
  return checked.valid ? [] : checked.failures.map(underRequest);
}

const underRequest = ({ path, message }: ValidationFailure): ValidationFailure => ({
  path: path === 'request' ? path : `request.${path}`,
  message,
});

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
