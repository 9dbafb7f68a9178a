import { PaysessionError } from '../errors';
import type { SessionFailure, StateHistoryEntry } from '../protocol/recorded';
import type { SessionState } from '../protocol/session';

/**
 * No session could be created, or it was lost: the service rejected its request or credentials, its create was abandoned,
 * and so on; `code` says which. `Failed`, `Cancelled` and `Expired` sessions are results, not this error.
 */
export class SessionFailedError extends PaysessionError {
  override readonly name = 'SessionFailedError';

  constructor(
    readonly key: string,
    readonly failure: SessionFailure,
    /** The session's last state; absent when the workflow was terminated from outside. */
    readonly state?: SessionState,
    readonly stateHistory: readonly StateHistoryEntry[] = [],
  ) {
    super(failure.code, `Session "${key}": ${failure.message}`);
  }
}
