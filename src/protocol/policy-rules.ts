import type { ValidationFailure } from '../contract/validate-session-request';
import { toMilliseconds } from './duration';
import { unknownFieldFailures } from './known-fields';

/** Tells what a policy field's value must be, where it is not that. */
type Rule = (value: unknown) => string | undefined;

const duration: Rule = (value) =>
  toMilliseconds(value) === undefined ? 'must be milliseconds or text such as "15m"' : undefined;

const boolean: Rule = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

const parkOrRetry: Rule = (value) =>
  value === 'park' || value === 'retry' ? undefined : 'must be "park" or "retry"';

/** The fields of a policy. Each may be left out. */
export const POLICY_RULES = {
  onUnknownCreate: parkOrRetry,
  fastestPoll: duration,
  slowestPoll: duration,
  slowestUnsignedPoll: duration,
  refreshSpacing: duration,
  deadline: duration,
  padSignatureDeadline: duration,
  indexReference: boolean,
} as const satisfies Record<string, Rule>;

/** What is wrong with a policy, which may be left out. */
export function policyFailures(policy: unknown): ValidationFailure[] {
  if (policy == null) return [];
  if (typeof policy !== 'object' || Array.isArray(policy))
    return [{ path: 'policy', message: 'must be an object' }];
  const fields = policy as Readonly<Record<string, unknown>>;
  const wrong = Object.entries(POLICY_RULES).flatMap(([name, rule]: [string, Rule]) => {
    const message = fields[name] == null ? undefined : rule(fields[name]);
    return message === undefined ? [] : [{ path: `policy.${name}`, message }];
  });
  const names = Object.keys(POLICY_RULES);
  return [...unknownFieldFailures(fields, { of: 'policy', names, prefix: 'policy.' }), ...wrong];
}
