/** The rules for the options of each call of the client. */
import type { ValidationFailure } from '../../contract';
import { isRecord } from '../../contract/values/json';
import { textFault } from '../../contract/values/text';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../../protocol/decisions';
import { toMilliseconds } from '../../protocol/duration';
import { unknownFieldFailures } from '../../protocol/input';
import { refuseInvalid } from '../session-errors';

/** Returns the rule that an option's value breaks, in words; `undefined` if the value is valid. */
type Rule = (value: unknown) => string | undefined;

/** The rules of all members of an object. Each member may be absent or `undefined`. */
export type RulesOf<T> = Readonly<Record<keyof T, Rule>>;

const LONGEST_START_WAIT_MS = 10 * 60_000;

const anything: Rule = () => undefined;

const text: Rule = (value) => (typeof value === 'string' ? undefined : 'must be text');

const time: Rule = (ms) =>
  typeof ms === 'number' && ms > 0 ? undefined : 'must be a number of milliseconds above 0';

const signal: Rule = (value) => (value instanceof AbortSignal ? undefined : 'must be an AbortSignal');

const startWait: Rule = (duration) =>
  (toMilliseconds(duration) ?? Infinity) > LONGEST_START_WAIT_MS
    ? 'must be milliseconds or text such as "30s", ten minutes at most'
    : undefined;

const concurrency: Rule = (value) =>
  Number.isInteger(value) && Number(value) > 0 ? undefined : 'must be a whole number above 0';

/** Returns the rule for a text that may also be `null`. Some callers pass `null` for an absent text. */
const textOrNull =
  (maxLength: number): Rule =>
  (value) =>
    value === null ? undefined : textFault(value, maxLength);

/** The maximum length of a `requestId`, which becomes part of an update's id. */
const MAX_REQUEST_ID_LENGTH = 200;

/** The options of `cancel` and `recordReveal`. */
export const DECIDER_OPTIONS = { by: textOrNull(MAX_DECIDER_LENGTH), reason: textOrNull(MAX_REASON_LENGTH) };

/** The options of `resolveCreate`. */
export const DECISION_OPTIONS = { ...DECIDER_OPTIONS, requestId: textOrNull(MAX_REQUEST_ID_LENGTH) };

/** The options of `start` and `open`. */
export const WAIT_OPTIONS = { timeoutMs: time, signal };

/** The options of `opened` and `state`. */
export const START_WAIT_OPTIONS = { ...WAIT_OPTIONS, waitForStart: startWait };

export const REFRESH_OPTIONS = { ...DECISION_OPTIONS, ...WAIT_OPTIONS };

export const CANCEL_OPTIONS = { ...DECISION_OPTIONS, timeoutMs: time };

export const CHANGES_OPTIONS = { signal };

export const START_MANY_OPTIONS = { concurrency };

/** The options of the client itself. */
export const CLIENT_OPTIONS = {
  taskQueue: text,
  startTimeoutMs: time,
  openTimeoutMs: time,
  queryTimeoutMs: time,
  refreshTimeoutMs: time,
  updateTimeoutMs: time,
  ledger: anything,
};

/**
 * Checks the options of a call, because untyped code may have passed them. Unknown options are refused, because a misspelt option
 * would have no effect. Throws `PaysessionError` `INVALID_INPUT` that lists every failure.
 */
export function checkOptions<Options extends object>(options: Options, rules: RulesOf<Options>): void {
  refuseInvalid(memberFailures('the options', options, rules), 'The options are invalid; nothing was sent');
}

/**
 * Returns a failure for each unknown member of an object, and for each member that breaks its rule. Messages call the object
 * `name`.
 */
export function memberFailures(
  name: string,
  value: unknown,
  rules: Readonly<Record<string, Rule>>,
): ValidationFailure[] {
  if (!isRecord(value)) return [{ path: name, message: 'must be an object' }];
  const faults = Object.entries(rules).flatMap(([path, faultOf]) => {
    const message = value[path] === undefined ? undefined : faultOf(value[path]);
    return message === undefined ? [] : [{ path, message }];
  });
  return [...unknownFieldFailures(value, { of: name, names: Object.keys(rules) }), ...faults];
}
