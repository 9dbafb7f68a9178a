/**
 * The rules for the input that starts a session, and for the key that names it. The client, the workflow, Nexus and the command line share
 * these rules. Each function returns a list of failures, which is empty if the input is valid.
 */
import { misspeltFailures } from '../contract/field-rules';
import { REQUEST_FIELDS } from '../contract/request-fields';
import { MAX_REQUEST_BYTES } from '../contract/service-api';
import type { SessionRequest } from '../contract/session-request';
import type { ValidationFailure } from '../contract/validate-session-request';
import { isRecord, nestingFault } from '../contract/values/json';
import { nearest, referenceFault, shownName, textFault } from '../contract/values/text';
import { toMilliseconds } from './duration';
import { metadataFailures, searchableFailures, searchableNamesFault, type Metadata } from './metadata';
import { DEFAULT_ACCOUNT } from './names';
import type { SessionPolicy } from './policy';

/** Input that starts a payment session. */
export interface PaymentSessionInput {
  /**
   * Your own key for this payment. One key has one session. 1 to 200 characters, without control characters and line separators. `.` and
   * `..` are not allowed.
   */
  readonly key: string;
  /** The creation request, which is sent to the payment service unchanged. */
  readonly request: SessionRequest;
  /** The account that opens the session, by its name in the worker's settings. @default 'default' */
  readonly account?: string;
  /**
   * Rules for this session: how often it is polled, when it is given up, what happens if the outcome of a create request is unknown, and
   * how lists can find it.
   * @default see {@link SessionPolicy}
   */
  readonly policy?: SessionPolicy;
  /**
   * Your own texts about the payment, such as your ids of the customer (`customer`) and of the order. Up to 20 texts, with names of up to
   * 40 characters and values of up to 500. The payment service never receives the metadata.
   *
   * Metadata are encrypted like the request, except those that `policy.searchableMetadata` names.
   *
   * Metadata do not identify the payment. If you start the same key and request again with other metadata, the call attaches, and the
   * session keeps its first metadata.
   * @default none
   */
  readonly metadata?: Metadata;
}

/** The longest key, in Unicode code points. */
export const MAX_KEY_LENGTH = 200;
/** The longest name of an account, in Unicode code points. */
export const MAX_ACCOUNT_LENGTH = 100;

/** Returns the failures of a session's key. */
export function keyFailures(key: unknown): ValidationFailure[] {
  // Browsers read these as steps of a path, even if they are encoded. So the session's page would have no address.
  if (key === '.' || key === '..') return [{ path: 'key', message: 'must not be "." or ".."' }];
  return nameFailures('key', key, MAX_KEY_LENGTH);
}

/** Returns the failures of an account's name, which may be absent. */
export function accountFailures(account: unknown): ValidationFailure[] {
  return account == null ? [] : nameFailures('account', account, MAX_ACCOUNT_LENGTH);
}

/** Returns the failures of a reference, which may be absent. */
export function referenceFailures(reference: unknown): ValidationFailure[] {
  const message = reference == null ? undefined : referenceFault(reference);
  return message === undefined ? [] : [{ path: 'request.referenceId', message }];
}

/**
 * Returns the failures of an input. `ofRequest` checks the request inside it. The client passes a check of the whole contract. The
 * workflow passes `requestShapeFailures`.
 */
export function inputFailures(
  input: unknown,
  ofRequest: (request: unknown) => readonly ValidationFailure[],
): ValidationFailure[] {
  if (!isRecord(input)) return [{ path: 'input', message: 'must be an object' }];
  const fault = nestingFault(input);
  if (fault !== undefined) return [{ path: 'input', message: fault }];
  const { key, account, request, policy, metadata } = input;
  return [
    ...unknownFieldFailures(input, INPUT_FIELDS),
    ...keyFailures(key),
    ...accountFailures(account),
    ...ofRequest(request),
    ...misplacedMetadata(request),
    ...sizeFailures(request),
    ...policyFailures(policy),
    ...metadataFailures(metadata),
    ...searchableFailures(metadata, policy),
  ];
}

/** Converts a failure of a request to a failure of the input that contains the request: the path then begins with `request`. */
export const underRequest = ({ path, message }: ValidationFailure): ValidationFailure => ({
  path: path === 'request' ? path : `request.${path}`,
  message,
});

/**
 * Checks that a request has the shape that the workflow needs, and no misspelt fields. The contract's other rules are checked just before
 * the request is sent.
 */
export function requestShapeFailures(request: unknown): ValidationFailure[] {
  if (!isRecord(request)) return [{ path: 'request', message: 'must be an object' }];
  const { amount, options, payor, referenceId } = request;
  const { guarantee, notificationPreferences } = isRecord(options) ? options : {};
  return [
    ...referenceFailures(referenceId),
    ...(amount == null || typeof amount === 'number'
      ? []
      : [{ path: 'request.amount', message: 'must be a number' }]),
    ...objectFailures('request.options', options),
    ...(guarantee == null ? [] : objectFailures('request.options.guarantee', guarantee)),
    ...(notificationPreferences == null
      ? []
      : objectFailures('request.options.notificationPreferences', notificationPreferences)),
    ...objectFailures('request.payor', payor),
    ...misspeltFailures(REQUEST_FIELDS, request).map(underRequest),
  ];
}

function objectFailures(path: string, value: unknown): ValidationFailure[] {
  return isRecord(value) ? [] : [{ path, message: 'must be an object' }];
}

/** Refuses metadata inside the request. Unknown fields of a request are sent to the payment service, and metadata must not be sent. */
const misplacedMetadata = (request: unknown): ValidationFailure[] =>
  isRecord(request) && request['metadata'] !== undefined
    ? [{ path: 'request.metadata', message: 'is not a field of the request; did you mean metadata?' }]
    : [];

/** Refuses a request that is not JSON, or that is larger than the service accepts (contract rule A20, docs/contract.md). */
function sizeFailures(request: unknown): ValidationFailure[] {
  const json = jsonOf(request);
  if (json === undefined) return [{ path: 'request', message: 'must be JSON' }];
  return new TextEncoder().encode(json).length <= MAX_REQUEST_BYTES
    ? []
    : [{ path: 'request', message: `must have at most ${MAX_REQUEST_BYTES} bytes as JSON` }];
}

/** Returns the JSON of a value; `undefined` for a value that cannot be JSON, such as a `bigint`. */
function jsonOf(value: unknown): string | undefined {
  try {
    // The value is put into an array, because `JSON.stringify` returns `undefined` for some values.
    return JSON.stringify([value]).slice(1, -1);
  } catch {
    return undefined;
  }
}

/** Returns the failures of a key or an account's name. Control characters, line separators and lone surrogates are not allowed. */
function nameFailures(path: string, value: unknown, maxLength: number): ValidationFailure[] {
  const failures = textFailures(path, value, maxLength);
  if (failures.length > 0 || typeof value !== 'string' || !/[\p{Cc}\u2028\u2029]/u.test(value))
    return failures;
  return [{ path, message: 'must not contain control characters or line separators' }];
}

/** Returns the failures of a text of 1 to `maxLength` Unicode code points. */
export function textFailures(path: string, value: unknown, maxLength: number): ValidationFailure[] {
  const message = textFault(value, maxLength);
  return message === undefined ? [] : [{ path, message }];
}

/** Returns the rule that a value breaks, in words; `undefined` if the value is valid. */
type Rule = (value: unknown) => string | undefined;

const duration: Rule = (value) =>
  toMilliseconds(value) === undefined
    ? 'must be milliseconds or text such as "15m", at most 366 days'
    : undefined;

export const booleanFault: Rule = (value) =>
  typeof value === 'boolean' ? undefined : 'must be true or false';

const parkOrRetry: Rule = (value) =>
  value === 'park' || value === 'retry' ? undefined : 'must be "park" or "retry"';

/** The fields of a policy, and the rule for each field. All fields are optional. */
export const POLICY_RULES = {
  onUnknownCreate: parkOrRetry,
  fastestPoll: duration,
  slowestPoll: duration,
  slowestUnsignedPoll: duration,
  refreshSpacing: duration,
  deadline: duration,
  padSignatureDeadline: duration,
  unverifiedAfter: duration,
  indexReference: booleanFault,
  searchableMetadata: searchableNamesFault,
} as const satisfies Record<keyof SessionPolicy, Rule>;

/** The fields for the longest intervals. Their values must not be shorter than `fastestPoll`. */
const SLOWEST = ['slowestPoll', 'slowestUnsignedPoll'] as const;

/** Returns the failures of a policy, which may be absent. */
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

const INPUT_FIELDS = {
  of: 'the input',
  names: ['key', 'request', 'account', 'policy', 'metadata'],
  elsewhere: [
    ...Object.keys(REQUEST_FIELDS.members).map((name) => `request.${name}`),
    ...Object.keys(POLICY_RULES).map((name) => `policy.${name}`),
  ],
};

/** The maximum number of unknown fields or of differences that a list has. */
const MAX_LISTED = 10;

interface KnownFields {
  /** The name of the object in messages, such as `the input`. */
  readonly of: string;
  readonly names: readonly string[];
  /** The start of the fields' paths. @default '' */
  readonly prefix?: string;
  /** Paths of other objects' fields that the caller may have meant. @default none */
  readonly elsewhere?: readonly string[];
}

/** Returns a failure for each unknown field, for ten fields at most. Suggests the known name that the field resembles, if there is one. */
export function unknownFieldFailures(
  value: Readonly<Record<string, unknown>>,
  { of, names, prefix = '', elsewhere = [] }: KnownFields,
): ValidationFailure[] {
  const paths = [...names, ...elsewhere];
  const unknown = Object.keys(value).filter((name) => value[name] !== undefined && !names.includes(name));
  return unknown.slice(0, MAX_LISTED).map((name) => {
    const near = nearest(name, paths.map(lastOf));
    const meant = paths.find((path) => lastOf(path) === near);
    return {
      path: `${prefix}${shownName(name)}`,
      message: `is not a field of ${of}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
    };
  });
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

type AskedPayment = Pick<PaymentSessionInput, 'account' | 'request'>;

/**
 * Returns the paths at which two inputs ask for different payments, such as `request.payor.email`. Returns ten paths at most, and never
 * values.
 */
export function differingPaths(one: AskedPayment, other: AskedPayment): readonly string[] {
  const accounts = [one, other].map(({ account }) => account ?? DEFAULT_ACCOUNT);
  const paths = differencesIn('request', one.request, other.request);
  return [...(accounts[0] === accounts[1] ? [] : ['account']), ...paths].slice(0, MAX_LISTED);
}

function differencesIn(path: string, one: unknown, other: unknown): readonly string[] {
  if (!isRecord(one) || !isRecord(other)) return JSON.stringify(one) === JSON.stringify(other) ? [] : [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differencesIn(`${path}.${shownName(name)}`, one[name], other[name]));
}
