import type { Anomaly } from './recorded';
import type { SessionState } from './session';
import { shellQuoted } from '../../contract/values/text';

/** A problem of a session that a person may have to act on: a value of the search attribute `PaymentSessionProblem`. */
export type SessionProblem =
  | Anomaly['kind']
  /**
   * The outcome of a create request is unknown, and the session waits for `resolveCreate`. The response was lost or could not be believed,
   * or a reset has removed the request from the workflow's history.
   */
  | 'parked'
  /** At least five calls of the session in a row failed or were postponed. */
  | 'serviceFailing'
  /** The session ended after its deadline without a final poll, because the payment service could not be polled. */
  | 'unverifiedEnd';

/** One row of {@link PROBLEMS}. */
export interface ProblemRow {
  /** True if the problem disappears when it is over. @default false: the problem stays with the session */
  readonly passes?: true;
  /** The problem's meaning, as a sentence. */
  readonly meaning: string;
  /** The next step for a person. `KEY` is replaced by the session's key. */
  readonly remedy: string;
}

/**
 * Every problem of a session, with its meaning and the next step. A problem without `passes` stays with the session, because a person has
 * to check it even if the session continues.
 */
export const PROBLEMS: Readonly<Record<SessionProblem, ProblemRow>> = {
  parked: {
    passes: true,
    meaning:
      'The response to a create request was lost or not believed, or a reset has removed the request from the workflow’s history; the session is waiting for a decision.',
    remedy:
      'Look for the session in the payment service’s own records, then decide with `paysession resolve KEY`.',
  },
  serviceFailing: {
    passes: true,
    meaning: 'At least five calls in a row failed or were postponed. The session keeps trying.',
    remedy:
      'Check the payment service and the account; `trouble` of the session’s state has the last failure.',
  },
  possibleOrphan: {
    meaning: 'A create request with an unknown outcome was retried or given up.',
    remedy:
      'Look for another session with the same reference at the payment service. If no other key follows it, cancel it there.',
  },
  sessionUnknown: {
    meaning: 'The payment service said that it does not know the session.',
    remedy: 'Ask the payment service what happened to the session.',
  },
  wrongSession: {
    meaning: 'The payment service returned a different session; the answer was ignored.',
    remedy: 'Report the answer to the payment service.',
  },
  backwardStatus: {
    meaning: 'The payment service reported a status that goes backwards; the status was ignored.',
    remedy: 'Compare `paysession history KEY` with the payment service’s own records.',
  },
  unknownStatus: {
    meaning: 'The payment service reported a status that this version does not know.',
    remedy: 'Look the payment up at the payment service, and upgrade paysession.',
  },
  unknownCode: {
    meaning:
      'The payment service reported a code that this version does not know, or does not expect with that status or kind of session.',
    remedy: 'Look the payment up at the payment service, and upgrade paysession.',
  },
  unreadableCode: {
    meaning: 'The payment service reported a code that cannot be read, for instance because it is not text.',
    remedy: 'Look the payment up at the payment service.',
  },
  missingCode: {
    meaning: 'The payment service reported `Completed` without a code: the session may or may not be paid.',
    remedy: 'Look the payment up at the payment service before you deliver.',
  },
  unverifiedEnd: {
    meaning:
      'After the session’s deadline, polls failed for a long time (a week by default). So the session ended, and may have been paid.',
    remedy: 'Look the payment up at the payment service before you deliver or release.',
  },
  recordFull: {
    meaning: 'The session has more states, anomalies or decisions than its record can hold.',
    remedy: 'Read the others in the workflow’s history.',
  },
};

/**
 * The number of failed calls in a row that counts as a problem. Fewer failures usually pass by themselves. Also, each change of the search
 * attribute is a billable action of Temporal Cloud.
 */
const FAILING_CALLS = 5;

/** The part of a session's state that shows its problems. */
export type ProblematicState = Pick<SessionState, 'phase' | 'trouble' | 'unverified' | 'anomalies'>;

/**
 * Returns the problems of a session, without duplicates.
 *
 * @example
 * ```ts
 * if (problemsOf(await session.state()).includes('parked')) console.log('someone must decide');
 * ```
 */
export function problemsOf({ phase, trouble, unverified, anomalies }: ProblematicState): SessionProblem[] {
  const isFailing = trouble !== undefined && trouble.failures >= FAILING_CALLS;
  return [
    ...(phase === 'parked' ? (['parked'] as const) : []),
    ...(isFailing && phase !== 'ended' ? (['serviceFailing'] as const) : []),
    ...(unverified ? (['unverifiedEnd'] as const) : []),
    ...new Set(anomalies.map(({ kind }) => kind)),
  ];
}

/** Returns the next step for a problem of the session with this key. */
export function remedyOf(problem: SessionProblem, key: string): string {
  return PROBLEMS[problem].remedy.replace('KEY', () => keyArgument(key));
}

/**
 * Returns a key as an argument of a shell command. Returns the word `KEY` for a key with backticks: remedies put commands in backticks, so
 * a backtick would end the command.
 */
export function keyArgument(key: string): string {
  if (/^[\w./:@][\w./:@-]*$/.test(key)) return key;
  return key.includes('`') ? 'KEY' : `-- ${shellQuoted(key)}`;
}

/** True if the text is the name of a problem. */
export function isSessionProblem(text: string): text is SessionProblem {
  return Object.hasOwn(PROBLEMS, text);
}
