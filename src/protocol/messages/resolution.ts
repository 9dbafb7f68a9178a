import type { ValidationFailure } from '../../contract/validate-session-request';
import { MUST_BE_ID } from './adopt-preview';
import { nameAndReasonFailures, type DecidedBy } from './decided-by';
import { unknownFieldFailures } from '../input/known-fields';
import { isRecord } from '../../contract/values/json';
import { isSessionId } from '../../contract/identity';
import type { SessionState } from '../state/session';

/** Argument of `resolveCreate`: what a person found out about a create request with an unknown outcome. */
export type ResolveCreate = DecidedBy &
  /** It was created, with this id of the service, a UUID: follow it. */
  (
    | { readonly sessionId: string }
    /** It was not created, or that does not matter: create again. */
    | { readonly retry: true }
    /** Give up: the session fails with `CREATE_ABANDONED`. */
    | { readonly abandon: true }
  );

/** Why there is nothing to decide, nor to look at. */
export const NOT_PARKED =
  'No create request with an unknown outcome is waiting: there is nothing to resolve.';

/** Returns the id that the answer to a create request names, while the session waits for a decision about that request. */
export const namedSession = ({ phase, parks }: Pick<SessionState, 'phase' | 'parks'>): string | undefined =>
  phase === 'parked' ? parks?.at(-1)?.sessionId : undefined;

const ONE_OF = 'must be one of {sessionId: text}, {retry: true} and {abandon: true}';
const FIELDS = { of: 'the resolution', names: ['sessionId', 'retry', 'abandon', 'by', 'reason'] };

/** What is wrong with the decision about a create request with an unknown outcome: the argument of `resolveCreate`. */
export function resolutionFailures(answer: unknown): ValidationFailure[] {
  if (!isRecord(answer)) return [{ path: 'the resolution', message: ONE_OF }];
  const { sessionId, retry, abandon } = answer;
  const decisions = [sessionId, retry, abandon].filter((decision) => decision !== undefined);
  const isDecided = decisions.length === 1 && (decisions[0] === true) !== (sessionId !== undefined);
  return [
    ...unknownFieldFailures(answer, FIELDS),
    ...(isDecided ? [] : [{ path: 'the resolution', message: ONE_OF }]),
    ...(sessionId === undefined || isSessionId(sessionId)
      ? []
      : [{ path: 'sessionId', message: MUST_BE_ID }]),
    ...nameAndReasonFailures(answer),
  ];
}
