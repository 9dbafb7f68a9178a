import type { ValidationFailure } from '../contract';
import {
  explain,
  isErrorCode,
  listFailures,
  PaysessionError,
  type SessionFailure,
  withRemedy,
} from '../errors';
import type { StateHistoryEntry } from '../protocol/state/recorded';
import type { SessionState, FailureDetails } from '../protocol/state/session';
import { brand } from '../errors/paysession-error';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';

/**
 * The session failed, was terminated, was not created, or refused a call. `code` says why: the service rejected its request, its create
 * request was abandoned, no worker has its account's credentials, and so on. `Failed`, `Cancelled` and `Expired` sessions are results,
 * not this error.
 *
 * @example
 * ```ts
 * try {
 *   const { paid } = await session.result();
 * } catch (error) {
 *   if (error instanceof SessionFailedError) console.error(error.key, error.code, error.state?.phase);
 *   else throw error;
 * }
 * ```
 */
export class SessionFailedError extends PaysessionError {
  static {
    brand(this, 'SessionFailedError');
  }

  override readonly name = 'SessionFailedError';

  constructor(
    /** The session's key. */
    readonly key: string,
    /** The failure, as plain data. */
    readonly failure: SessionFailure,
    /** The session's last state. Absent, for instance, if the workflow was terminated from outside, or if the session refused a call. */
    readonly state?: SessionState,
    /** The states that the session was seen in, oldest first: the first 200. Empty if `state` is absent. */
    readonly stateHistory: readonly StateHistoryEntry[] = [],
  ) {
    super(failure.code, `Session "${key}": ${withRemedy(failure.code, failure.message)}`);
  }
}

/** Returns the failure of a workflow as the error that users catch; `undefined` for any other error. */
export function toSessionFailed(key: string, error: unknown): SessionFailedError | undefined {
  if (!(error instanceof WorkflowFailedError)) return undefined;
  const { cause } = error;
  if (!(cause instanceof ApplicationFailure) || cause.type == null || !isErrorCode(cause.type)) {
    const code = 'SESSION_TERMINATED';
    return new SessionFailedError(key, { code, message: explain(code) });
  }
  const details = cause.details?.[0] as FailureDetails | undefined;
  const failure = details?.state.failure ?? { code: cause.type, message: cause.message };
  return new SessionFailedError(key, failure, details?.state, details?.stateHistory);
}

/** Throws `PaysessionError` `INVALID_INPUT` with what happened and every failure, if there are failures. */
export function refuseInvalid(failures: readonly ValidationFailure[], happened: string): void {
  if (failures.length === 0) return;
  throw new PaysessionError('INVALID_INPUT', `${happened}: ${listFailures(failures)}`);
}
