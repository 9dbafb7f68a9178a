import { createHash } from 'node:crypto';
import { validateSessionRequest, type ValidationFailure } from '../contract';
import { InvalidRequestError } from '../errors';
import { DEFAULT_ACCOUNT, type PaymentSessionInput } from '../../workflows/protocol';
import { resolvePolicy } from '../../workflows/policy';

const MAX_KEY_LENGTH = 200;
const MAX_ACCOUNT_LENGTH = 100;

/** Throws `InvalidRequestError` listing everything that is wrong with the input; nothing is started then. */
export function assertValidInput(input: unknown): asserts input is PaymentSessionInput {
  if (!isObject(input)) throw new InvalidRequestError([{ path: 'input', message: 'must be an object' }]);
  const { key, account, request } = input;
  const checked = validateSessionRequest(request);
  const failures: ValidationFailure[] = [
    ...keyFailures(key),
    ...(account === undefined ? [] : textFailures('account', account, MAX_ACCOUNT_LENGTH)),
    ...(checked.valid
      ? policyFailures(input as unknown as PaymentSessionInput)
      : checked.failures.map(underRequest)),
  ];
  if (failures.length > 0) throw new InvalidRequestError(failures);
}

/** What is wrong with a key; empty when it may name a session. */
export function keyFailures(key: unknown): ValidationFailure[] {
  return textFailures('key', key, MAX_KEY_LENGTH);
}

function textFailures(path: string, value: unknown, maxLength: number): ValidationFailure[] {
  const isText =
    typeof value === 'string' && value.length >= 1 && value.length <= maxLength && !/\p{Cc}/u.test(value);
  return isText
    ? []
    : [{ path, message: `must have 1 to ${maxLength} characters and no control characters` }];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function policyFailures({ policy, request }: PaymentSessionInput): ValidationFailure[] {
  if (policy != null && !isObject(policy)) return [{ path: 'policy', message: 'must be an object' }];
  try {
    resolvePolicy(policy ?? {}, request);
    return [];
  } catch (error) {
    const text = error instanceof Error ? error.message : 'policy is malformed';
    const [path = 'policy', ...message] = text.split(' ');
    return [{ path, message: message.join(' ') }];
  }
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
