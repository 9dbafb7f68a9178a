import type { PaymentSessionHandle } from '../../../src/sessions';
import type { SessionState } from '../../../src/protocol/state/session';
import type { StateHistoryEntry } from '../../../src/protocol/state/recorded';

/** A change of a watched session: its state after it, and the states recorded since the change before. */
export interface WatchedChange {
  readonly state: SessionState;
  readonly entries: readonly StateHistoryEntry[];
}

/** Gives each change of a session as it happens, with its past at first, until the session has ended. */
export async function* watchStates(session: PaymentSessionHandle): AsyncIterable<WatchedChange> {
  let given = 0;
  for await (const state of session.changes()) {
    const history = await session.stateHistory();
    yield { state, entries: history.slice(given) };
    given = history.length;
  }
}
