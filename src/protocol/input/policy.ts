import type { ValidationFailure } from '../../contract/validate-session-request';
import { isRecord } from '../../contract/values/json';
import { toMilliseconds, type Duration } from './duration';
import { unknownFieldFailures } from './known-fields';

/**
 * How a session is followed and when it is given up. Every field has a default; times between polls vary at random by a tenth, and by
 * up to an eighth more where a worker makes several polls at once.
 */
export interface SessionPolicy {
  /**
   * What to do if a create request was sent and the response was lost: `park` waits for `resolveCreate`; `retry` creates again and
   * records the possible orphan, three times at most; then it parks. It parks at once if an answer names a session but contradicts the
   * request or cannot be read: the next answer would be the same.
   * @default 'park' if the service itself mails the payor (`sendNetworkLink`), else 'retry'
   */
  readonly onUnknownCreate?: 'park' | 'retry';
  /** The shortest time between two polls. @default '3s' */
  readonly fastestPoll?: Duration;
  /**
   * The longest time between two polls while the payor may act. Polls are `fastestPoll` apart for the first five minutes after
   * a change, and then a sixth of the time since. @default '30m'
   */
  readonly slowestPoll?: Duration;
  /**
   * The longest time between two polls while the PAD signature is missing. The next poll comes after a sixth of the time
   * waited so far, 30 seconds at least. @default '1d'
   */
  readonly slowestUnsignedPoll?: Duration;
  /** The shortest time between two polls for refreshes; refreshes that come sooner share the next poll. @default '1s' */
  readonly refreshSpacing?: Duration;
  /**
   * How long after its start an unfinished session is cancelled at the service, after a last look. A session that is `Completed`
   * without a detail code that says whether it is paid ends then. @default '25h'
   */
  readonly deadline?: Duration;
  /** How long to wait for the PAD signature after the bank account was validated. @default '30d' */
  readonly padSignatureDeadline?: Duration;
  /**
   * How long a deadline is postponed while the payment service cannot be checked. Then a completed session ends as `unverified`,
   * and any other is cancelled. @default '7d'
   */
  readonly unverifiedAfter?: Duration;
  /** Whether `referenceId` becomes a search attribute, which Temporal stores in plain text. @default true */
  readonly indexReference?: boolean;
}

/** Says what a policy field's value must be; `undefined` if it is that. */
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
  unverifiedAfter: duration,
  indexReference: boolean,
} as const satisfies Record<string, Rule>;

/** The longest interval of each kind; none may be shorter than `fastestPoll`. */
const SLOWEST = ['slowestPoll', 'slowestUnsignedPoll'] as const;

/** What is wrong with a policy. It may be left out. */
export function policyFailures(policy: unknown): ValidationFailure[] {
  if (policy == null) return [];
  if (!isRecord(policy)) return [{ path: 'policy', message: 'must be an object' }];
  const wrong = Object.entries(POLICY_RULES).flatMap(([name, rule]: [string, Rule]) => {
    const message = policy[name] == null ? undefined : rule(policy[name]);
    return message === undefined ? [] : [{ path: `policy.${name}`, message }];
  });
  const names = Object.keys(POLICY_RULES);
  return [
    ...unknownFieldFailures(policy, { of: 'policy', names, prefix: 'policy.' }),
    ...wrong,
    ...SLOWEST.flatMap((name) => intervalFailures(policy, name)),
  ];
}

function intervalFailures(policy: Readonly<Record<string, unknown>>, name: string): ValidationFailure[] {
  const fastest = toMilliseconds(policy['fastestPoll']);
  const slowest = toMilliseconds(policy[name]);
  if (fastest === undefined || slowest === undefined || slowest >= fastest) return [];
  return [{ path: `policy.${name}`, message: 'must not be shorter than fastestPoll' }];
}
