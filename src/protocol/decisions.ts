/** The decisions that people make about a session, and the checks of their arguments. */
import { isSameSession, isSessionId } from '../contract/identity';
import type { ValidationFailure } from '../contract/validate-session-request';
import { isRecord } from '../contract/values/json';
import { MUST_BE_ID } from './adopt-preview';
import { textFailures, unknownFieldFailures } from './input';
import type { Decision, Park } from './state/recorded';
import type { SessionState } from './state/session';

/**
 * The person who decides, and the reason. The session records both in its `decisions`. Both are stored like the request: encrypted if
 * encryption keys are set, and never in a search attribute, summary or log.
 */
export interface DecidedBy {
  /** The name of the person who decides: 1 to 200 characters. */
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

/** Returns the failures of `by` and `reason`. Ignores other fields. */
function nameAndReasonFailures({ by, reason }: Readonly<Record<string, unknown>>): ValidationFailure[] {
  return [
    ...(by == null ? [] : textFailures('by', by, MAX_DECIDER_LENGTH)),
    ...(reason == null ? [] : textFailures('reason', reason, MAX_REASON_LENGTH)),
  ];
}

/** Returns `by` and `reason` without other fields; `undefined` if both are absent. */
export function namedIn({ by, reason }: NullableFields): DecidedBy | undefined {
  if (by == null && reason == null) return undefined;
  return { ...(by != null && { by }), ...(reason != null && { reason }) };
}

/** `by` and `reason` as other SDKs may send them. */
type NullableFields = { readonly [Field in keyof DecidedBy]?: string | null | undefined };

/** A decision about a create request with an unknown outcome: the argument of `resolveCreate`. */
export type ResolveCreate = DecidedBy & {
  /**
   * The `id` of the last entry in the state's `parks`, which is the wait that the decision is about. If the session now waits because of
   * another create request, it refuses the decision.
   * @default the decision applies to the current wait
   */
  readonly park?: string;
} &
  /** Adopt: the create request opened the session with this id (a UUID) at the payment service. The workflow follows that session. */
  (
    | { readonly sessionId: string }
    /** Retry: the create request opened no session, or a second session does not matter. The workflow sends another create request. */
    | { readonly retry: true }
    /** Abandon: the session fails with `CREATE_ABANDONED`. */
    | { readonly abandon: true }
  );

/** The refusal of a decision or a preview while no create request waits for a decision. */
export const NOT_PARKED =
  'No create request with an unknown outcome is waiting: there is nothing to resolve.';

/** The refusal of a decision whose `park` names an earlier wait of the session. */
export const PARKED_AGAIN =
  'The session waits because of a later create request than the decision is about. Read its state and decide again: the payment service may have named a session since.';

/**
 * True if an ended session's state shows that this decision was made. A full record may have dropped the decision, so then any decision
 * counts as made.
 */
export const isMade = (answer: ResolveCreate, { decisions, anomalies }: SessionState): boolean =>
  anomalies.some(({ kind }) => kind === 'recordFull') ||
  decisions.some((made) =>
    'sessionId' in answer
      ? isAdoptionOf(made, answer.sessionId)
      : made.decision === ('retry' in answer ? 'retry' : 'abandon'),
  );

/** True if a recorded decision was to adopt the service's session with this id. */
const isAdoptionOf = ({ decision, sessionId }: Decision, named: string): boolean =>
  decision === 'adopt' && sessionId !== undefined && isSameSession(sessionId, named);

/** Returns the current wait for a decision about a create request; `undefined` if the session is not parked. */
export const currentPark = ({ phase, parks }: Pick<SessionState, 'phase' | 'parks'>): Park | undefined =>
  phase === 'parked' ? parks?.at(-1) : undefined;

/**
 * Returns the session id in the answer to the create request about which a parked session waits for a decision. `undefined` if the
 * answer had no id, or if the session is not parked.
 */
export const namedSession = (state: Pick<SessionState, 'phase' | 'parks'>): string | undefined =>
  currentPark(state)?.sessionId;

/** The maximum length of `park`. The id of a wait is always shorter. */
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

/**
 * Returns the result of an adoption: `applied`, or the code of its refusal. `state` is the answer to the decision. A refused adoption is not
 * an error: the session stays parked, and records the decision with the reason, if its record is not full.
 */
export function adoptionResult(
  { sessionId, phase, decisions }: SessionState,
  named: string,
): Decision['result'] {
  if (sessionId !== undefined && isSameSession(sessionId, named)) return 'applied';
  // If the session is not waiting any more, it has not tried this adoption. Refusals in its record belong to earlier attempts.
  if (phase !== 'parked') return 'INVALID_INPUT';
  return decisions.filter((made) => isAdoptionOf(made, named)).at(-1)?.result ?? 'INVALID_INPUT';
}
