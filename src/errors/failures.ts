import { type ErrorCode, type ServiceErrorCode, ERROR_CODES, rowOf } from './codes';
import type { ProblemDetails } from '../contract/service-api';
import type { ValidationFailure } from '../contract/validate-session-request';

/** The reason why a session failed or is in trouble, as plain data. */
export interface SessionFailure {
  /** The error code. */
  readonly code: ErrorCode;
  /** The failure in words, without personal data, token or secret. */
  readonly message: string;
  /** HTTP status of the service's answer; absent if there was no answer. */
  readonly status?: number;
  /** The answer's problem details (contract A70), each text bounded; absent if none could be read. */
  readonly problem?: ProblemDetails;
}

/** The reason why one call of a session failed: the service, the account's settings, the worker, the ledger or the Temporal server. */
export interface CallFailure extends SessionFailure {
  /** The shortest wait before the call is made again, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The reason why one call to the payment service failed. It crosses from activities to workflows as plain data. */
export interface ServiceFailure extends CallFailure {
  /** The error code. */
  readonly code: ServiceErrorCode;
  /** The shortest wait before the next call, in milliseconds: the service asks for it (contract A71), or the worker imposes it. */
  readonly retryAfterMs?: number;
}

/** Input of {@link explain} other than a code: any {@link PaysessionError}, or the `failure` or `trouble` of a session's state. */
export type Explainable = Pick<SessionFailure, 'code' | 'message' | 'problem'> & {
  /** The failure that an error carries. */
  readonly failure?: Pick<SessionFailure, 'problem'>;
};

/**
 * Explains an error code or an error to a person: what happened, the payment service's own words, and what to do next. The service's
 * words may quote the request: show them to people, and keep them out of logs.
 *
 * @example
 * ```ts
 * explain('WORKER_UNAVAILABLE'); // 'No worker answered in time. Start one …'
 * explain(error); // a caught `PaysessionError`
 * if (state.trouble) explain(state.trouble); // why a session's calls fail
 * ```
 */
export function explain(what: ErrorCode | Explainable): string {
  if (typeof what === 'string') return `${ERROR_CODES[what].meaning} ${ERROR_CODES[what].remedy}`;
  const { code, message, problem = what.failure?.problem } = what;
  const detail = problem?.detail ?? '';
  const said = detail === '' ? message : withSaid(message, detail);
  // An error's message already says what to do. A failure in a session's record may only say what happened.
  return what instanceof Error ? said : withRemedy(code, said);
}

const SAID = /The payment service says: “[^”]*”/;

/** Returns the message with the payment service's words, which replace those that the message already has. */
export function withSaid(message: string, words: string): string {
  const said = `The payment service says: “${words}”`;
  return SAID.test(message) ? message.replace(SAID, () => said) : `${message} ${said}`;
}

/** Returns what happened and, unless the text already says it, what to do next. */
export function withRemedy(code: ErrorCode, happened: string): string {
  const remedy = rowOf(code)?.remedy ?? '';
  return happened.includes(remedy) ? happened : `${happened} ${remedy}`;
}

/** Returns the failures of an input as text, field by field. */
export function listFailures(failures: readonly ValidationFailure[]): string {
  return failures.map(({ path, message }) => `${path} ${message}`).join('; ');
}
