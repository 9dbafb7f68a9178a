/** People's decisions about a session, and the names of those who decide. */
import { isSameSession, isSessionId } from '../contract/identity';
import type { ValidationFailure } from '../contract/validate-session-request';
import { isRecord } from '../contract/values/json';
import { MUST_BE_ID } from './adopt-preview';
import { textFailures, unknownFieldFailures } from './input';
import type { Park } from './state/recorded';
import type { SessionState } from './state/session';

/**
 * The decider's name and reason, kept in the session's `decisions`. They are stored like the request: encrypted if keys are set,
 * and in no search attribute, summary or log.
 */
export interface DecidedBy {
  /** The decider's name: 1 to 200 characters. */
  readonly by?: string;
  /** The reason: 1 to 500 characters. */
  readonly reason?: string;
}

/** The maximum lengths of a decider's name and of a reason, in Unicode code points. */
export const MAX_DECIDER_LENGTH = 200;
export const MAX_REASON_LENGTH = 500;

const DECIDER_FIELDS = { of: 'the argument', names: ['by', 'reason'] };

/** Returns the failures of the argument of `cancel`, `cancelAndWait`, `refresh` and `recordReveal`. */
export function decidedByFailures(argument: unknown): ValidationFailure[] {
  if (argument == null) return [];
  if (!isRecord(argument)) return [{ path: 'the argument', message: 'must be {by: text, reason: text}' }];
  return [...unknownFieldFailures(argument, DECIDER_FIELDS), ...nameAndReasonFailures(argument)];
}

/** Returns the failures of `by` and `reason`, ignoring other fields. */
function nameAndReasonFailures({ by, reason }: Readonly<Record<string, unknown>>): ValidationFailure[] {
  return [
    ...(by == null ? [] : textFailures('by', by, MAX_DECIDER_LENGTH)),
    ...(reason == null ? [] : textFailures('reason', reason, MAX_REASON_LENGTH)),
  ];
}

/** Returns only the two fields, without absent ones; `undefined` if both are absent. */
export function namedIn({ by, reason }: NullableFields): DecidedBy | undefined {
  if (by == null && reason == null) return undefined;
  return { ...(by != null && { by }), ...(reason != null && { reason }) };
}

/** The two fields, as other SDKs may write them. */
type NullableFields = { readonly [Field in keyof DecidedBy]?: string | null | undefined };

/** A decision about a create request with an unknown outcome: the argument of `resolveCreate`. */
export type ResolveCreate = DecidedBy & {
  /**
   * The `id` of the last of the state's `parks`, to which the decision applies. The session refuses the decision if it currently waits
   * because of another create request. @default the decision applies to any wait
   */
  readonly park?: string;
} &
  /** The create request opened the session with this id of the payment service, a UUID: follow that session. */
  (
    | { readonly sessionId: string }
    /** The create request opened no session, or that does not matter: create again. */
    | { readonly retry: true }
    /** Give up: the session fails with `CREATE_ABANDONED`. */
    | { readonly abandon: true }
  );

/** The refusal of a decision or preview if no create request is waiting for a decision. */
export const NOT_PARKED =
  'No create request with an unknown outcome is waiting: there is nothing to resolve.';

/** The refusal of a decision about an earlier wait of the session. */
export const PARKED_AGAIN =
  'The session waits because of a later create request than the decision is about. Read its state and decide again: the payment service may have named a session since.';

/**
 * True if the state shows that the decision was made. An ended session answers each decision with its state. If the record is full, it may
 * have dropped the decision, so any decision counts as made.
 */
export const isMade = (answer: ResolveCreate, { decisions, anomalies }: SessionState): boolean =>
  anomalies.some(({ kind }) => kind === 'recordFull') ||
  decisions.some(({ decision, sessionId }) =>
    'sessionId' in answer
      ? decision === 'adopt' && sessionId !== undefined && isSameSession(sessionId, answer.sessionId)
      : decision === ('retry' in answer ? 'retry' : 'abandon'),
  );

/** Returns the wait for a decision about a create request, while the session waits. */
export const currentPark = ({ phase, parks }: Pick<SessionState, 'phase' | 'parks'>): Park | undefined =>
  phase === 'parked' ? parks?.at(-1) : undefined;

/** Returns the session id that the answer to a create request names, while the session waits for a decision about that request. */
export const namedSession = (state: Pick<SessionState, 'phase' | 'parks'>): string | undefined =>
  currentPark(state)?.sessionId;

/** Longer than the id of any park. */
const MAX_PARK_LENGTH = 100;

const ONE_OF = 'must be one of {sessionId: text}, {retry: true} and {abandon: true}';
const RESOLUTION_FIELDS = {
  of: 'the resolution',
  names: ['sessionId', 'retry', 'abandon', 'park', 'by', 'reason'],
};

/** Returns the failures of the argument of `resolveCreate`: the decision about a create request with an unknown outcome. */
export function resolutionFailures(answer: unknown): ValidationFailure[] {
  if (!isRecord(answer)) return [{ path: 'the resolution', message: ONE_OF }];
  const { sessionId, retry, abandon, park } = answer;
  const decisions = [sessionId, retry, abandon].filter((decision) => decision !== undefined);
  const isDecided = decisions.length === 1 && (decisions[0] === true) !== (sessionId !== undefined);
  return [
    ...unknownFieldFailures(answer, RESOLUTION_FIELDS),
    ...(isDecided ? [] : [{ path: 'the resolution', message: ONE_OF }]),
    ...(sessionId === undefined || isSessionId(sessionId)
      ? []
      : [{ path: 'sessionId', message: MUST_BE_ID }]),
    ...(park == null ? [] : textFailures('park', park, MAX_PARK_LENGTH)),
    ...nameAndReasonFailures(answer),
  ];
}
