import { PaysessionError } from '../errors';
import type { SessionFailure, StateHistoryEntry } from '../protocol/recorded';
import type { SessionState } from '../protocol/session';

/**
 * The session failed to be a session: the service rejected its request or credentials, its create was abandoned, and so
 * on; `code` says which. `Failed`, `Cancelled` and `Expired` sessions are results, not this error.
 */
export class SessionFailedError extends PaysessionError {
  override readonly name = 'SessionFailedError';

  constructor(
    /** The session's key. */
    readonly key: string,
    /** Why, as plain data. */
    readonly failure: SessionFailure,
    /** The session's last state; absent when the workflow was terminated from outside. */
    readonly state?: SessionState,
    /** Every state that the session was seen in, oldest first. */
    readonly stateHistory: readonly StateHistoryEntry[] = [],
  ) {
    super(failure.code, `Session "${key}": ${failure.message}`);
  }
}
