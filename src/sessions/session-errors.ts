import { PaysessionError, withRemedy, type SessionFailure } from '../errors';
import type { StateHistoryEntry } from '../protocol/state/recorded';
import type { SessionState } from '../protocol/state/session';
import { brand } from '../errors/paysession-error';

/**
 * No session could be created, or not yet, or it was lost: the service rejected its request, its create was abandoned, no worker has
 * its account's credentials, and so on; `code` says which. `Failed`, `Cancelled` and `Expired` sessions are results, not this error.
 */
export class SessionFailedError extends PaysessionError {
  static {
    brand(this, 'SessionFailedError');
  }

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
    super(failure.code, `Session "${key}": ${withRemedy(failure.code, failure.message)}`);
  }
}
