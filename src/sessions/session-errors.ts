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
 * The session failed, was terminated, was not created, or refused a call. `code` says why: for instance, the service rejected the
 * session's request, an operator abandoned the create request, or no worker has the account's credentials. A session whose status is
 * `Failed`, `Cancelled` or `Expired` has a result, and does not throw this error.
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
    /** The failure as plain data: its code and its message. */
    readonly failure: SessionFailure,
    /** The session's last state. Absent if the workflow was terminated from outside or the session refused a call, for instance. */
    readonly state?: SessionState,
    /** The first 200 states in which workers saw the session, oldest first. Empty if `state` is absent. */
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

/** If there are failures, throws `PaysessionError` `INVALID_INPUT` with the text `happened` and every failure. */
export function refuseInvalid(failures: readonly ValidationFailure[], happened: string): void {
  if (failures.length === 0) return;
  throw new PaysessionError('INVALID_INPUT', `${happened}: ${listFailures(failures)}`);
}
