import { type ErrorCode, type ServiceErrorCode, ERROR_CODES, rowOf } from './codes';
import type { ProblemDetails } from '../contract/service-api';
import type { ValidationFailure } from '../contract/validate-session-request';

/** The reason why a session failed, or why its calls are failing, as plain data. */
export interface SessionFailure {
  /** The error code. */
  readonly code: ErrorCode;
  /** The failure in words. Contains no personal data, tokens or secrets. */
  readonly message: string;
  /** The HTTP status of the service's answer. Absent if there was no answer. */
  readonly status?: number;
  /**
   * The problem details in the service's answer (contract rule A70, docs/contract.md), with long texts cut. Absent if none could be
   * read.
   */
  readonly problem?: ProblemDetails;
}

/**
 * The reason why one call of a session failed. The cause may be the service, the account's settings, the worker, the ledger or the
 * Temporal server.
 */
export interface CallFailure extends SessionFailure {
  /** The shortest wait before the call is repeated, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The reason why one call to the payment service failed. Activities pass it to workflows as plain data. */
export interface ServiceFailure extends CallFailure {
  /** The error code. */
  readonly code: ServiceErrorCode;
  /** The shortest wait before the next call, in milliseconds. The service asks for it (contract A71), or the worker requires it. */
  readonly retryAfterMs?: number;
}

/** A failure that {@link explain} accepts: any {@link PaysessionError}, or the `failure` or `trouble` of a session's state. */
export type Explainable = Pick<SessionFailure, 'code' | 'message' | 'problem'> & {
  /** The failure of an error, such as `ServiceError.failure`. */
  readonly failure?: Pick<SessionFailure, 'problem'>;
};

/**
 * Returns an explanation of an error code or an error for people: what happened, the payment service's own words, and what to do
 * next. The service's words may quote the request, so show the explanation to people, but do not log it.
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
  // The message of an error already says what to do next. The message of a failure in a session's state may lack that.
  return what instanceof Error ? said : withRemedy(code, said);
}

const SAID = /The payment service says: “[^”]*”/;

/** Adds the payment service's words to a message. Replaces words of the service that the message already has. */
export function withSaid(message: string, words: string): string {
  const said = `The payment service says: “${words}”`;
  return SAID.test(message) ? message.replace(SAID, () => said) : `${message} ${said}`;
}

/** Adds the remedy of an error code (what to do next) to a text, unless the text already has it. */
export function withRemedy(code: ErrorCode, happened: string): string {
  const remedy = rowOf(code)?.remedy ?? '';
  return happened.includes(remedy) ? happened : `${happened} ${remedy}`;
}

/** Returns the failures of an input as one text. */
export function listFailures(failures: readonly ValidationFailure[]): string {
  return failures.map(({ path, message }) => `${path} ${message}`).join('; ');
}
