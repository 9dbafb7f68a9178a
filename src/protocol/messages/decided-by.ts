import type { ValidationFailure } from '../../contract/validate-session-request';
import { isRecord } from '../../contract/values/json';
import { unknownFieldFailures } from '../input/known-fields';
import { textFailures } from '../input/rules';

/**
 * Who decides, and why; kept in the session's `decisions`. It is stored as the request is, encrypted where keys are set, and
 * stands in no search attribute, summary or log.
 */
export interface DecidedBy {
  /** 1 to 200 characters. */
  readonly by?: string;
  /** 1 to 500 characters. */
  readonly reason?: string;
}

/** The longest name of who decided, and the longest reason, in Unicode code points. */
export const MAX_DECIDER_LENGTH = 200;
export const MAX_REASON_LENGTH = 500;

const FIELDS = { of: 'the argument', names: ['by', 'reason'] };

/** What is wrong with who decided and why: the argument of `cancel`, `cancelAndWait`, `refresh` and `recordReveal`. */
export function decidedByFailures(argument: unknown): ValidationFailure[] {
  if (argument == null) return [];
  if (!isRecord(argument)) return [{ path: 'the argument', message: 'must be {by: text, reason: text}' }];
  return [...unknownFieldFailures(argument, FIELDS), ...nameAndReasonFailures(argument)];
}

/** What is wrong with the two fields, whatever else comes with them. */
export function nameAndReasonFailures({
  by,
  reason,
}: Readonly<Record<string, unknown>>): ValidationFailure[] {
  return [
    ...(by == null ? [] : textFailures('by', by, MAX_DECIDER_LENGTH)),
    ...(reason == null ? [] : textFailures('reason', reason, MAX_REASON_LENGTH)),
  ];
}

/** The two fields alone, without what is absent; `undefined` where nobody is named and no reason is given. */
export function namedIn({ by, reason }: NullableFields): DecidedBy | undefined {
  if (by == null && reason == null) return undefined;
  return { ...(by != null && { by }), ...(reason != null && { reason }) };
}

/** As other SDKs may write them. */
interface NullableFields {
  readonly by?: string | null | undefined;
  readonly reason?: string | null | undefined;
}
